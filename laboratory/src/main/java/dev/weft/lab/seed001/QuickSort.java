package dev.weft.lab.seed001;

import java.util.SplittableRandom;

/**
 * The quicksort of seed 001 section 6.1: random ints, sorted in place with the partition of Cormen and others (one pass from
 * the left, the last element as pivot). It really sorts.
 */
public final class QuickSort implements Program {
  private final int words;
  private final long seed;
  private final long psPerCompare;
  private long compares;
  private PagedInts memory;

  /** @param psPerCompare what one comparison with its share of the exchanges costs, picoseconds */
  public QuickSort(int words, long seed, long psPerCompare) {
    this.words = words;
    this.seed = seed;
    this.psPerCompare = psPerCompare;
  }

  @Override
  public int words() {
    return words;
  }

  /** Comparisons of the run; known when it has ended. */
  public long compares() {
    return compares;
  }

  @Override
  public void run(PagedInts array) {
    memory = array;
    compares = 0;
    SplittableRandom random = new SplittableRandom(seed);
    for (int i = 0; i < words; i++) {
      array.set(i, random.nextInt());
      array.charge(psPerCompare);
      compares++;
    }
    sort(0, words - 1);
  }

  private void sort(int from, int to) {
    int low = from;
    int high = to;
    while (low < high) {
      int middle = partition(low, high);
      // The smaller side first, so that the stack stays short.
      if (middle - low < high - middle) {
        sort(low, middle - 1);
        low = middle + 1;
      } else {
        sort(middle + 1, high);
        high = middle - 1;
      }
    }
  }

  private int partition(int low, int high) {
    int pivot = memory.get(high);
    int i = low - 1;
    for (int j = low; j < high; j++) {
      int value = memory.get(j);
      if (value <= pivot) {
        i++;
        int other = memory.get(i);
        memory.set(i, value);
        memory.set(j, other);
      }
      memory.charge(psPerCompare);
    }
    compares += high - low;
    int other = memory.get(i + 1);
    memory.set(i + 1, memory.get(high));
    memory.set(high, other);
    return i + 1;
  }
}
