package dev.weft.lab.seed001;

import java.util.Arrays;

/** Resident pages in the order of the clock's hand: a list through arrays. */
final class PageRing {
  static final int NONE = -1;

  private int[] next;
  private int[] previous;
  private boolean[] isIn;
  private int head = NONE;
  private int tail = NONE;
  private int size;

  PageRing(int pages) {
    next = new int[pages];
    previous = new int[pages];
    isIn = new boolean[pages];
  }

  void grow(int pages) {
    next = Arrays.copyOf(next, pages);
    previous = Arrays.copyOf(previous, pages);
    isIn = Arrays.copyOf(isIn, pages);
  }

  int size() {
    return size;
  }

  /** The page under the hand, or {@link #NONE}. */
  int head() {
    return head;
  }

  boolean contains(int page) {
    return isIn[page];
  }

  void addLast(int page) {
    if (isIn[page]) {
      throw new IllegalStateException("page " + page + " is in the ring already");
    }
    isIn[page] = true;
    next[page] = NONE;
    previous[page] = tail;
    if (tail == NONE) {
      head = page;
    } else {
      next[tail] = page;
    }
    tail = page;
    size++;
  }

  void remove(int page) {
    if (!isIn[page]) {
      throw new IllegalStateException("page " + page + " is not in the ring");
    }
    isIn[page] = false;
    if (previous[page] == NONE) {
      head = next[page];
    } else {
      next[previous[page]] = next[page];
    }
    if (next[page] == NONE) {
      tail = previous[page];
    } else {
      previous[next[page]] = previous[page];
    }
    size--;
  }
}
