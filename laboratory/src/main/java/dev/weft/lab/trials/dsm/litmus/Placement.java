package dev.weft.lab.trials.dsm.litmus;

/** Where the words of one instance of a shape or of a lock lie. Statements about pages hold for arrays that start at a page. */
public enum Placement {
  /** All words in one minipage, without other words. */
  ONE_MINIPAGE,
  /** Each word in a minipage of 64 bytes of its own, all on one page. */
  ONE_PAGE,
  /** Each word on another page, in a minipage of 64 bytes without other words. */
  SEVERAL_PAGES;

  /**
   * The layout of an array with this placement.
   *
   * @param words words of an instance, 1 to {@link Layout#WORDS_MAX}
   * @param instances number of instances, 1 or more
   */
  public Layout layout(int words, int instances) {
    return new Layout(this, words, instances);
  }
}
