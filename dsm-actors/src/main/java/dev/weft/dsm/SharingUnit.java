package dev.weft.dsm;

import java.util.Locale;
import java.util.Objects;

/**
 * How an allocation is cut into minipages, which are what nodes take from each other (seed 000, reference 14). Two words that different nodes write all
 * the time belong into different minipages; what one node reads or writes at once belongs into one.
 *
 * @param kind what {@code count} counts
 * @param count 1 or more; 1 for {@link Kind#WHOLE}
 */
public record SharingUnit(Kind kind, long count) {
  /** What is counted. */
  public enum Kind {
    /** Bytes; a multiple of 8. */
    BYTES,
    /** Elements of the array. */
    ELEMENTS,
    /** All of the array is one minipage. */
    WHOLE
  }

  /** Bytes of a page. */
  public static final int PAGE_BYTES = 4096;

  private static final long BYTES_MAX = 1L << 62;

  public SharingUnit {
    Objects.requireNonNull(kind, "kind of a sharing unit, must be BYTES, ELEMENTS or WHOLE");
    if (kind == Kind.WHOLE && count != 1) {
      throw new IllegalArgumentException("a minipage of " + count + " whole arrays, must have 1");
    }
    if (count < 1) {
      throw new IllegalArgumentException("a minipage of " + counted(count, kind) + ", must have 1 or more");
    }
  }

  /** Minipages of that many bytes, a multiple of 8. */
  public static SharingUnit bytes(long bytes) {
    return new SharingUnit(Kind.BYTES, bytes);
  }

  /** Minipages of that many elements, for example a row of a matrix. */
  public static SharingUnit elements(long elements) {
    return new SharingUnit(Kind.ELEMENTS, elements);
  }

  private static String counted(long count, Kind kind) {
    return count + " " + kind.name().toLowerCase(Locale.ROOT);
  }

  /** Minipages of that many pages of 4 KiB, 1 or more. */
  public static SharingUnit pages(int pages) {
    if (pages < 1) {
      throw new IllegalArgumentException("a minipage of " + pages + " pages, must have 1 or more");
    }
    return new SharingUnit(Kind.BYTES, (long) pages * PAGE_BYTES);
  }

  /** One minipage for the whole array. */
  public static SharingUnit whole() {
    return new SharingUnit(Kind.WHOLE, 1);
  }

  /**
   * Bytes of a minipage.
   *
   * @param length elements of the array
   * @param elementBytes bytes of one
   * @throws IllegalArgumentException if minipages would not be of whole words of 8 bytes
   */
  public long strideBytes(long length, int elementBytes) {
    long bytes = switch (kind) {
      case BYTES -> count;
      case ELEMENTS -> count > BYTES_MAX / elementBytes ? Long.MAX_VALUE : count * elementBytes;
      case WHOLE -> Math.multiplyExact(length, elementBytes) + 7 & -8;
    };
    if (bytes > BYTES_MAX) {
      throw new IllegalArgumentException("a minipage of " + counted(count, kind) + ", must have at most " + BYTES_MAX + " bytes");
    }
    if (bytes % 8 != 0) {
      throw new IllegalArgumentException("a minipage of " + bytes + " bytes, must be a multiple of 8");
    }
    return bytes;
  }
}
