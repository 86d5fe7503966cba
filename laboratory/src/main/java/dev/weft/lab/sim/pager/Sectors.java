package dev.weft.lab.sim.pager;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Content of sectors: a sector's value is the number of the write that filled it, and every word of it depends on that number and on
 * the place. So a sector read tells which write it is from; 0 is a sector of zeros.
 */
final class Sectors {
  static final int BYTES = ClusterScenario.SECTOR_BYTES;
  /** The sector is none that any write made: a mix of two, or of another place. */
  static final long TORN = -1;
  private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG_UNALIGNED;

  private Sectors() {}

  /** Fills the sectors of a buffer, the first of which is {@code firstSector} of the device. */
  static void fill(MemorySegment buffer, long firstSector, long value) {
    for (int i = 0; i < buffer.byteSize() / BYTES; i++) {
      for (int word = 0; word < BYTES / 8; word++) {
        buffer.set(WORD, (long) i * BYTES + word * 8L, word(value, firstSector + i, word));
      }
    }
  }

  /** The value of one sector of a buffer, {@link #TORN} if it is none. */
  static long valueAt(MemorySegment buffer, int index, long sector) {
    long at = (long) index * BYTES;
    long value = buffer.get(WORD, at);
    for (int word = 0; word < BYTES / 8; word++) {
      if (buffer.get(WORD, at + word * 8L) != word(value, sector, word)) {
        return TORN;
      }
    }
    return value;
  }

  private static long word(long value, long sector, int word) {
    if (value == 0 || word == 0) {
      return value;
    }
    long z = (value * 0x9e37_79b9_7f4a_7c15L + sector) * 0xbf58_476d_1ce4_e5b9L + word;
    return z ^ z >>> 29;
  }
}
