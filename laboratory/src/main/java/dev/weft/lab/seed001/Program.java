package dev.weft.lab.seed001;

/** A program that runs in swapped memory. */
public interface Program {
  /** How many ints of memory it uses. */
  int words();

  /**
   * Runs on its application thread.
   *
   * @param memory {@link #words()} ints, zero
   */
  void run(PagedInts memory);
}
