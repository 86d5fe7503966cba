package dev.weft.lab.seed001;

import dev.weft.fabric.time.AppThread;
import java.util.Arrays;

/**
 * An array of ints in swapped memory, used by one application thread. Each access faults if its page is not mapped. What the
 * program costs is charged in picoseconds and paid in slices, so that others run in between.
 */
public final class PagedInts {
  static final int WORDS_PER_PAGE = 1024;
  private static final int PAGE_SHIFT = 10;
  private static final int POISON = 0xdeadbeef;
  /** Longest time that a thread runs before others get their turn. */
  private static final long SLICE_PS = 1_000_000_000L;

  private final SwappedMemory memory;
  private final AppThread thread;
  private final int firstPage;
  private final int[] words;
  private final byte[] flags;
  private long owedPs;

  PagedInts(SwappedMemory memory, AppThread thread, int firstPage, int length, byte[] flags) {
    this.memory = memory;
    this.thread = thread;
    this.firstPage = firstPage;
    this.words = new int[length];
    this.flags = flags;
  }

  public int length() {
    return words.length;
  }

  public int get(int index) {
    int page = index >>> PAGE_SHIFT;
    if ((flags[page] & SwappedMemory.MAPPED) == 0) {
      fault(page);
    }
    flags[page] |= SwappedMemory.REFERENCED;
    return words[index];
  }

  public void set(int index, int value) {
    int page = index >>> PAGE_SHIFT;
    if ((flags[page] & SwappedMemory.MAPPED) == 0) {
      fault(page);
    }
    flags[page] |= SwappedMemory.REFERENCED | SwappedMemory.DIRTY;
    words[index] = value;
  }

  /** Touches the page of a word, as reading or writing it would. */
  public void touch(int index, boolean isWrite) {
    if (isWrite) {
      set(index, words[index]);
    } else {
      get(index);
    }
  }

  /** Charges what the program computed, in picoseconds. */
  public void charge(long ps) {
    owedPs += ps;
    if (owedPs >= SLICE_PS) {
      pay();
    }
  }

  /** Lets the time pass that is owed. */
  public void pay() {
    long ns = owedPs / 1000;
    owedPs -= ns * 1000;
    if (ns > 0) {
      thread.compute(ns);
    }
  }

  private void fault(int page) {
    pay();
    memory.fault(thread, this, firstPage + page);
  }

  byte[] flags() {
    return flags;
  }

  int firstPage() {
    return firstPage;
  }

  int[] words() {
    return words;
  }

  /** The page's contents are on the device only; a program that could still see them would go wrong. */
  void poison(int page) {
    int from = (page - firstPage) << PAGE_SHIFT;
    Arrays.fill(words, from, Math.min(words.length, from + WORDS_PER_PAGE), POISON);
  }
}
