package dev.weft.lab.trials.dsm.litmus;

/**
 * Mutual exclusion by reads and writes alone, without fences or atomics. Each algorithm is correct under sequential consistency, and wrong if a read
 * may pass an earlier write of another word.
 */
public enum MutexAlgorithm {
  /** Peterson 1981, two threads. Words: two flags, and the turn. */
  PETERSON(2, 2) {
    @Override
    int words(int threads) {
      return 3;
    }

    @Override
    void enter(Words words, int me, int threads) {
      int other = 1 - me;
      words.set(me, 1);
      words.set(TURN, other);
      while (words.get(other) == 1 && words.get(TURN) == other) {
        words.pause();
      }
    }

    @Override
    void leave(Words words, int me) {
      words.set(me, 0);
    }
  },

  /** Dekker, in Dijkstra 1965, two threads. Words: two flags, and the turn. */
  DEKKER(2, 2) {
    @Override
    int words(int threads) {
      return 3;
    }

    @Override
    void enter(Words words, int me, int threads) {
      int other = 1 - me;
      words.set(me, 1);
      while (words.get(other) == 1) {
        if (words.get(TURN) != me) {
          words.set(me, 0);
          while (words.get(TURN) != me) {
            words.pause();
          }
          words.set(me, 1);
        } else {
          words.pause();
        }
      }
    }

    @Override
    void leave(Words words, int me) {
      words.set(TURN, 1 - me);
      words.set(me, 0);
    }
  },

  /** Lamport's bakery 1974. Words: for each thread its number, and whether it is drawing one. */
  BAKERY(1, 16) {
    @Override
    int words(int threads) {
      return 2 * threads;
    }

    @Override
    void enter(Words words, int me, int threads) {
      words.set(threads + me, 1);
      long number = 0;
      for (int other = 0; other < threads; other++) {
        number = Math.max(number, words.get(other));
      }
      number++;
      words.set(me, number);
      words.set(threads + me, 0);
      for (int other = 0; other < threads; other++) {
        if (other != me) {
          while (words.get(threads + other) != 0) {
            words.pause();
          }
          while (isBefore(words.get(other), other, number, me)) {
            words.pause();
          }
        }
      }
    }

    @Override
    void leave(Words words, int me) {
      words.set(me, 0);
    }
  };

  private static final int TURN = 2;

  private final int threadsMin;
  private final int threadsMax;

  MutexAlgorithm(int threadsMin, int threadsMax) {
    this.threadsMin = threadsMin;
    this.threadsMax = threadsMax;
  }

  /** The words of an algorithm, and a way to wait. */
  interface Words {
    long get(int word);

    void set(int word, long value);

    void pause();
  }

  /** Least number of threads. */
  public int threadsMin() {
    return threadsMin;
  }

  /** Greatest number of threads. */
  public int threadsMax() {
    return threadsMax;
  }

  /** Number of words, all 0 at first; their indices start at 0. */
  abstract int words(int threads);

  /** Returns when the thread is alone in the critical section. */
  abstract void enter(Words words, int me, int threads);

  /** Leaves, or gives up while waiting. */
  abstract void leave(Words words, int me);

  private static boolean isBefore(long number, int thread, long mine, int me) {
    return number != 0 && (number < mine || number == mine && thread < me);
  }
}
