package dev.weft.pvfs.wire;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * What client and manager tell each other when they connect.
 *
 * @param session drawn by the client once: what it has open belongs to it, also over several connections, and requests that it repeats are known by it
 * @param incarnation drawn by the manager for each session that it begins, 0 from the client: if it is another one than before, what was open is to be
 *     said again
 * @param credits requests under way, wished for or given
 */
public record ManagerHello(long session, long incarnation, int credits) {
  private static final int MAGIC = 0x4d465650;

  public byte[] encode() {
    return ByteBuffer.allocate(25).order(ByteOrder.LITTLE_ENDIAN).putInt(MAGIC).put(DaemonRequest.VERSION).putLong(session).putLong(incarnation)
        .putInt(credits).array();
  }

  /** Null if it is none of this version. */
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
