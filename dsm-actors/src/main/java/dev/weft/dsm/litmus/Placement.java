package dev.weft.dsm.litmus;

/** Where the words of one instance of a shape or of a lock lie. The claims about pages hold for arrays that begin with a page. */
public enum Placement {
  /** All in one minipage, which has nothing else. */
  ONE_MINIPAGE,
  /** Each in a minipage of 64 bytes of its own, all on one page. */
  ONE_PAGE,
  /** Each on another page, in a minipage of 64 bytes that has nothing else. */
  SEVERAL_PAGES;

  /**
   * Places words.
   *
   * @param words of an instance, 1 to {@link Layout#WORDS_MAX}
   * @param instances 1 or more
   */
  public Layout layout(int words, int instances) {
    return new Layout(this, words, instances);
  }
}
