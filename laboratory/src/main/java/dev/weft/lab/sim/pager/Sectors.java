package dev.weft.lab.sim.pager;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Content of sectors: a sector's value is the number of the write that filled it, and every word depends on that number and on its place. So the
 * content of a sector identifies its write; 0 is a sector of zeros.
 */
final class Sectors {
  static final int BYTES = ClusterScenario.SECTOR_BYTES;
  /** No write made this content: it is a mix of two, or belongs to another place. */
  static final long TORN = -1;
  private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG_UNALIGNED;

  private Sectors() {}

  /** Fills the sectors of a buffer that starts at {@code firstSector} of the device. */
  static void fill(MemorySegment buffer, long firstSector, long value) {
    for (int i = 0; i < buffer.byteSize() / BYTES; i++) {
      for (int word = 0; word < BYTES / 8; word++) {
        buffer.set(WORD, (long) i * BYTES + word * 8L, word(value, firstSector + i, word));
      }
    }
  }

  /** The value of one sector of a buffer, {@link #TORN} if it is invalid. */
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
