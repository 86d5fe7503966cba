package dev.weft.bench;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The floor under every message between two processors: a thread writes one word that another one waits for, and gets its answer in another
 * word. Runs from source, {@code java CacheLine.java SECONDS}, and prints the mean of a round, there and back, in the fastest window of 100, and what
 * {@link System#nanoTime} costs, in nanoseconds as one JSON object. On one virtual machine both were seen to double within minutes.
 */
public final class CacheLine {
  private static final int ROUNDS = 100;
  /** Then the other thread seems to have no processor. */
  private static final int SPINS_MAX = 10_000;
  /** Two words that share no line with each other, nor with what a processor fetches beside it. */
  private static final int APART = 32;
  private static final int STOP = -1;
  private static final VarHandle WORD = MethodHandles.arrayElementVarHandle(long[].class);

  private final long[] words = new long[3 * APART];

  private CacheLine() {}

  public static void main(String[] args) throws InterruptedException {
    if (args.length != 1) {
      System.err.println("usage: CacheLine SECONDS, e.g. CacheLine 1");
      System.exit(2);
    }
    long forNs = (long) (Double.parseDouble(args[0]) * 1e9);
    CacheLine line = new CacheLine();
    Thread other = Thread.ofPlatform().daemon().start(line::answer);
    line.leastNs(forNs / 2);
    double roundNs = line.leastNs(forNs);
    line.write(1, STOP);
    other.join();
    System.out.println("{\"roundNs\":" + roundNs + ",\"nanoTimeNs\":" + nanoTimeNs() + "}");
  }

  private long read(int word) {
    return (long) WORD.getVolatile(words, word * APART);
  }

  private void write(int word, long value) {
    WORD.setVolatile(words, word * APART, value);
  }

  private void answer() {
    for (long last = 0; last != STOP;) {
      last = readAnother(1, last);
      write(2, last);
    }
  }

  /** What a word becomes that is {@code known} still. */
  private long readAnother(int word, long known) {
    long next = read(word);
    for (int spins = 0; next == known; spins++) {
      if (spins < SPINS_MAX) {
        Thread.onSpinWait();
      } else {
        Thread.yield();
      }
      next = read(word);
    }
    return next;
  }

  private double leastNs(long forNs) {
    double least = Double.MAX_VALUE;
    long beginNs = System.nanoTime();
    long round = read(1);
    for (long nowNs = beginNs; nowNs - beginNs < forNs;) {
      long startNs = nowNs;
      for (int i = 0; i < ROUNDS; i++) {
        write(1, round + 1);
        round = readAnother(2, round);
      }
      nowNs = System.nanoTime();
      least = Math.min(least, (nowNs - startNs) / (double) ROUNDS);
    }
    return least;
  }

  private static double nanoTimeNs() {
    long startNs = System.nanoTime();
    long endNs = startNs;
    for (int i = 0; i < 1_000_000; i++) {
      endNs = System.nanoTime();
    }
    return (endNs - startNs) / 1e6;
  }
}
