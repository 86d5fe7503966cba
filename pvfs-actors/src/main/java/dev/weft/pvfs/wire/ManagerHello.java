package dev.weft.pvfs.wire;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The first message of client and manager when they connect.
 *
 * @param session a number that the client draws once. Its open files belong to the session across connections, and the manager recognizes repeated
 *     requests by it
 * @param incarnation a number that the manager draws for each session that it begins, 0 from the client. If it has changed, the client must claim its
 *     open files again
 * @param credits requests under way that the client asks for, or the manager gives
 */
public record ManagerHello(long session, long incarnation, int credits) {
  private static final int MAGIC = 0x4d465650;

  public byte[] encode() {
    return ByteBuffer.allocate(25).order(ByteOrder.LITTLE_ENDIAN).putInt(MAGIC).put(DaemonRequest.VERSION).putLong(session).putLong(incarnation)
        .putInt(credits).array();
  }

  /** Returns null if it is invalid or has another version. */
  public static ManagerHello decode(byte[] bytes) {
    ByteBuffer in = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    try {
      if (in.getInt() != MAGIC || in.get() != DaemonRequest.VERSION) {
        return null;
      }
      ManagerHello hello = new ManagerHello(in.getLong(), in.getLong(), in.getInt());
      return hello.session > 0 && hello.credits > 0 && hello.credits <= 65_536 ? hello : null;
    } catch (BufferUnderflowException cut) {
      return null;
    }
  }
}
