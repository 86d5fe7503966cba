package dev.weft.dsm;

import java.util.Locale;
import java.util.Objects;

/**
 * How an array is cut into minipages, the units that nodes take from each other (Kernel DSM, reference 14). Put two words that different nodes write
 * all the time into different minipages, and data that one node accesses at once into one.
 *
 * @param kind what {@code count} counts
 * @param count 1 or more; 1 for {@link Kind#WHOLE}
 */
public record SharingUnit(Kind kind, long count) {
  /** The unit of the count. */
  public enum Kind {
    /** Bytes; a multiple of 8. */
    BYTES,
    /** Elements of the array. */
    ELEMENTS,
    /** The whole array is one minipage. */
    WHOLE
  }

  /** Size of a page in bytes. */
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

  /** Minipages of {@code bytes} bytes, a multiple of 8. */
  public static SharingUnit bytes(long bytes) {
    return new SharingUnit(Kind.BYTES, bytes);
  }

  /** Minipages of {@code elements} elements, for example a row of a matrix. */
  public static SharingUnit elements(long elements) {
    return new SharingUnit(Kind.ELEMENTS, elements);
  }

  private static String counted(long count, Kind kind) {
    return count + " " + kind.name().toLowerCase(Locale.ROOT);
  }

  /** Minipages of {@code pages} pages of 4 KiB, 1 or more. */
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
   * Returns the size of a minipage in bytes.
   *
   * @param length elements of the array
   * @param elementBytes bytes of an element
   * @throws IllegalArgumentException if a minipage is not a multiple of 8 bytes
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
