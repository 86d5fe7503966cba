package dev.weft.pvfs.wire;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * What either side of a connection tells the other at its start: the buffers that it lends for the middle band, and how many requests may be under way.
 *
 * @param instance of a client, its random number, the same on all of its connections, by which a daemon knows what it has done already; of a daemon,
 *     {@link #onDisk} or {@link #inMemory}: another one than before where changes that it has answered may be lost; 0 of one that does not say
 * @param credits of a client, how many it would like; of a daemon, how many it gives
 * @param inlineBytes longest data in a message that it can receive
 * @param fastSlots buffers that are lent, 0 to 254; a number of them goes with each RDMA Write as its immediate
 * @param slotBytes of each
 * @param address of the first, the others follow
 * @param rkey of them
 */
public record Hello(long instance, int credits, int inlineBytes, int fastSlots, int slotBytes, long address, int rkey) {
  private static final int MAGIC = 0x53465650;
  /** 2: with an instance. 3: requests have checksums and shapes. 4: SCRUB passes holes over. */
  private static final byte VERSION = 4;
  private static final int BYTES = 41;
  private static final int MESSAGE_BYTES_MAX = 1 << 20;
  private static final int SLOT_BYTES_MAX = 1 << 22;

  /** Of a daemon on a disk; {@code number} is another one where what was written and not synced may be lost. */
  public static long onDisk(long number) {
    return number & ~1 | 2;
  }

  /** Of a daemon that keeps nothing; {@code number} is a random one. */
  public static long inMemory(long number) {
    return number | 1;
  }

  /** Of a daemon: whether it keeps nothing when it ends, synced or not. */
  public boolean isInMemory() {
    return (instance & 1) != 0;
  }

  public byte[] encode() {
    return ByteBuffer.allocate(BYTES).order(ByteOrder.LITTLE_ENDIAN).putInt(MAGIC).put(VERSION).putLong(instance).putInt(credits)
        .putInt(inlineBytes).putInt(fastSlots).putInt(slotBytes).putLong(address).putInt(rkey).array();
  }

  /** Null if it is none of this version, or nothing that could be kept to. */
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

  /** Address of a slot. */
  public long addressOf(int slot) {
    return address + (long) slot * slotBytes;
  }
}
