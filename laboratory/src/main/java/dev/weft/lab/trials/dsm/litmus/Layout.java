package dev.weft.lab.trials.dsm.litmus;

import dev.weft.dsm.SharingUnit;

/**
 * The place of each word of each instance in an array of longs.
 *
 * @param placement which words of an instance share a minipage or page
 * @param words words of an instance
 * @param instances instances in the array
 */
public record Layout(Placement placement, int words, int instances) {
  /** Maximum number of words of an instance: each has a minipage of 64 bytes, and all must fit on one page. */
  public static final int WORDS_MAX = 64;

  /** Maximum number of instances, so that lengths stay far from overflow. */
  public static final int INSTANCES_MAX = 1 << 20;

  /** Longs of a minipage of one word: a cache line. */
  private static final int MINIPAGE = 8;

  private static final int PAGE = SharingUnit.PAGE_BYTES / Long.BYTES;

  /** Checks the numbers. */
  public Layout {
    if (words < 1 || words > WORDS_MAX || instances < 1 || instances > INSTANCES_MAX) {
      throw new IllegalArgumentException(instances + " instances of " + words + " words, must be 1 to " + INSTANCES_MAX + " of 1 to " + WORDS_MAX);
    }
  }

  /** The sharing unit of the array. */
  public SharingUnit unit() {
    return SharingUnit.bytes(Long.BYTES * (placement == Placement.ONE_MINIPAGE ? stride() : (long) MINIPAGE));
  }

  /** Length of the array. */
  public long length() {
    return placement == Placement.SEVERAL_PAGES ? words * area() : instances * stride();
  }

  /** Element of a word of an instance. */
  public long index(int instance, int word) {
    return switch (placement) {
      case ONE_MINIPAGE -> instance * stride() + word;
      case ONE_PAGE -> instance * stride() + (long) word * MINIPAGE;
      case SEVERAL_PAGES -> word * area() + (long) instance * MINIPAGE;
    };
  }

  /** Longs from an instance to the next. On one page these are powers of two, so that no instance crosses the end of a page. */
  private long stride() {
    return switch (placement) {
      case ONE_MINIPAGE -> words + MINIPAGE - 1 & -MINIPAGE;
      case ONE_PAGE -> MINIPAGE * (words == 1 ? 1L : Integer.highestOneBit(words - 1) << 1);
      case SEVERAL_PAGES -> MINIPAGE;
    };
  }

  /** Longs from a word to the next one; whole pages. */
  private long area() {
    return (long) instances * MINIPAGE + PAGE - 1 & -PAGE;
  }
}
