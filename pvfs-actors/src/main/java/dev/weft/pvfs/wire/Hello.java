package dev.weft.pvfs.wire;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The first message of either side of a connection: the buffers that the side lends for the band FAST, and how many requests may be under way.
 *
 * @param instance of a client, its random number, the same on all of its connections, by which a daemon recognizes repeated requests; of a daemon,
 *     {@link #onDisk} or {@link #inMemory}, which changes if acknowledged changes may be lost; 0 if a daemon does not say
 * @param credits of a client, how many it asks for; of a daemon, how many it gives
 * @param inlineBytes longest data in a message that it can receive
 * @param fastSlots lent buffers, 0 to 254; each RDMA Write carries the number of its buffer as immediate
 * @param slotBytes of each
 * @param address of the first; the others follow
 * @param rkey of them
 */
public record Hello(long instance, int credits, int inlineBytes, int fastSlots, int slotBytes, long address, int rkey) {
  private static final int MAGIC = 0x53465650;
  /** 2: with an instance. 3: requests have checksums and shapes. 4: SCRUB skips holes. */
  private static final byte VERSION = 4;
  private static final int BYTES = 41;
  private static final int MESSAGE_BYTES_MAX = 1 << 20;
  private static final int SLOT_BYTES_MAX = 1 << 22;

  /** Returns the instance of a daemon on a disk; {@code number} changes if data that was written and not synced may be lost. */
  public static long onDisk(long number) {
    return number & ~1 | 2;
  }

  /** Returns the instance of a daemon in memory, which keeps nothing; {@code number} is random. */
  public static long inMemory(long number) {
    return number | 1;
  }

  /** Whether a daemon loses everything when it ends, synced or not. */
  public boolean isInMemory() {
    return (instance & 1) != 0;
  }

  public byte[] encode() {
    return ByteBuffer.allocate(BYTES).order(ByteOrder.LITTLE_ENDIAN).putInt(MAGIC).put(VERSION).putLong(instance).putInt(credits)
        .putInt(inlineBytes).putInt(fastSlots).putInt(slotBytes).putLong(address).putInt(rkey).array();
  }

  /** Returns null if it has another version or impossible values. */
  public static Hello decode(byte[] bytes) {
    ByteBuffer in = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    try {
      if (in.getInt() != MAGIC || in.get() != VERSION) {
        return null;
      }
      Hello hello = new Hello(in.getLong(), in.getInt(), in.getInt(), in.getInt(), in.getInt(), in.getLong(), in.getInt());
      boolean makesSense = hello.credits > 0 && hello.credits <= 65_536 && hello.inlineBytes >= 0 && hello.inlineBytes <= MESSAGE_BYTES_MAX
          && hello.fastSlots >= 0
          && hello.fastSlots < DaemonRequest.NO_SLOT
          && hello.slotBytes >= 0 && hello.slotBytes <= SLOT_BYTES_MAX;
      return makesSense ? hello : null;
    } catch (BufferUnderflowException cut) {
      return null;
    }
  }

  /** Returns the address of a slot. */
  public long addressOf(int slot) {
    return address + (long) slot * slotBytes;
  }
}
