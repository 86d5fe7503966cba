package dev.weft.lab.trials.dsm.litmus;

import dev.weft.dsm.DsmBarrier;
import dev.weft.dsm.SharedLongs;
import dev.weft.dsm.SharedSpace;
import dev.weft.dsm.SharingUnit;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

/**
 * Threads that enter a critical section again and again, by an algorithm that needs sequential consistency. Inside, each thread sets a word that says
 * so, and increments a counter by a read and a write. Both show if two threads are inside at once.
 */
public final class MutexRun {
  /** Pauses of one entry after which a thread gives up: a lost flag must not make a test run for ever. */
  public static final long PAUSES_MAX = 10_000_000;

  private final MutexAlgorithm algorithm;
  private final String name;
  private final Placement placement;
  private final Layout layout;
  private final int threads;
  private final int entriesEach;
  private final long pausesMax;
  private final Backoff backoff;
  private final AtomicLong entries = new AtomicLong();
  private final AtomicLong intrusions = new AtomicLong();
  private final AtomicLong counted = new AtomicLong();
  private final AtomicInteger stuck = new AtomicInteger();

  private MutexRun(MutexAlgorithm algorithm, String name, Placement placement, int threads, int entriesEach, long pausesMax, Backoff backoff) {
    if (threads < algorithm.threadsMin() || threads > algorithm.threadsMax()) {
      throw new IllegalArgumentException(threads + " threads for " + algorithm + ", must be " + algorithm.threadsMin() + " to "
          + algorithm.threadsMax());
    }
    if (entriesEach < 1 || pausesMax < 1) {
      throw new IllegalArgumentException(entriesEach + " entries and at most " + pausesMax + " pauses, must be 1 or more");
    }
    this.algorithm = algorithm;
    this.name = name;
    this.placement = placement;
    this.entriesEach = entriesEach;
    this.pausesMax = pausesMax;
    this.backoff = backoff;
    this.threads = threads;
    layout = placement.layout(algorithm.words(threads) + 2, 1);
  }

  /**
   * Runs the threads.
   *
   * @param name prefix of the names of shared objects, as in {@link LitmusSettings}
   * @param placement places of the algorithm's words, the counter and the word that says which thread is inside
   * @param spaces one for each thread
   * @param entriesEach entries of each thread, 1 or more
   * @param pausesMax calls of {@code backoff} of one entry after which its thread gives up, 1 or more, usually {@link #PAUSES_MAX}
   * @param atOnce starts the threads
   * @param backoff pause of a waiting thread
   * @throws IllegalArgumentException if the algorithm does not support that many threads
   */
  public static MutexReport run(MutexAlgorithm algorithm, String name, Placement placement, List<SharedSpace> spaces, int entriesEach,
      long pausesMax, AtOnce atOnce, Backoff backoff) {
    MutexRun run = new MutexRun(algorithm, name, placement, spaces.size(), entriesEach, pausesMax, backoff);
    atOnce.run(IntStream.range(0, run.threads).<Runnable>mapToObj(thread -> () -> run.body(thread, spaces.get(thread))).toList());
    return run.report(run.entries.get(), run.intrusions.get(), run.stuck.get());
  }

  /**
   * Plays one thread's part, if threads are in several JVMs; all call it at about the same time.
   *
   * @param me number of the thread, from 0
   * @param threads number of all threads
   * @return the result of all threads; for the first thread only
   */
  public static Optional<MutexReport> playPart(MutexAlgorithm algorithm, String name, Placement placement, SharedSpace space, int me, int threads,
      int entriesEach, Backoff backoff) {
    MutexRun run = new MutexRun(algorithm, name, placement, threads, entriesEach, PAUSES_MAX, backoff);
    run.body(me, space);
    SharedLongs seen = space.longs(name + "-seen", 3L * threads, SharingUnit.elements(3));
    seen.write(3L * me, new long[] {run.entries.get(), run.intrusions.get(), run.stuck.get()}, 0, 3);
    space.barrier(name + "-barrier", threads).await();
    if (me != 0) {
      return Optional.empty();
    }
    long[] all = new long[3 * threads];
    seen.read(0, all, 0, all.length);
    long[] sums = new long[3];
    for (int i = 0; i < all.length; i++) {
      sums[i % 3] += all[i];
    }
    space.free(name + "-seen");
    return Optional.of(run.report(sums[0], sums[1], (int) sums[2]));
  }

  private MutexReport report(long entered, long intruded, int gaveUp) {
    return new MutexReport(algorithm, placement, threads, entered, intruded, entered - counted.get(), gaveUp);
  }

  private void body(int me, SharedSpace space) {
    DsmBarrier barrier = space.barrier(name + "-barrier", threads);
    SharedLongs array = space.longs(name, layout.length(), layout.unit());
    barrier.await();
    Pausing words = new Pausing(array);
    for (int i = 0; i < entriesEach && words.left > 0; i++) {
      enterOnce(words, me);
    }
    barrier.await();
    if (me == 0) {
      counted.set(words.get(algorithm.words(threads)));
      space.free(name);
    }
  }

  private void enterOnce(Pausing words, int me) {
    words.left = pausesMax;
    try {
      algorithm.enter(words, me, threads);
      inside(words, me);
    } catch (GivenUp _) {
      stuck.incrementAndGet();
    }
    algorithm.leave(words, me);
  }

  private void inside(Pausing words, int me) {
    int counter = algorithm.words(threads);
    int who = counter + 1;
    boolean alone = words.get(who) == 0;
    words.set(who, me + 1);
    words.set(counter, words.get(counter) + 1);
    alone &= words.get(who) == me + 1;
    words.set(who, 0);
    entries.incrementAndGet();
    if (!alone) {
      intrusions.incrementAndGet();
    }
  }

  /** The words of one thread, which gives up after too many pauses. */
  private final class Pausing implements MutexAlgorithm.Words {
    private final SharedLongs array;
    private long left = pausesMax;

    Pausing(SharedLongs array) {
      this.array = array;
    }

    @Override
    public long get(int word) {
      return array.get(layout.index(0, word));
    }

    @Override
    public void set(int word, long value) {
      array.set(layout.index(0, word), value);
    }

    @Override
    public void pause() {
      if (Thread.currentThread().isInterrupted()) {
        throw new IllegalStateException(name + ": interrupted while waiting to enter");
      }
      if (--left == 0) {
        throw new GivenUp();
      }
      backoff.pause((int) Math.min(pausesMax - left, Integer.MAX_VALUE));
    }
  }

  /** A thread waited too long. */
  private static final class GivenUp extends RuntimeException {
    GivenUp() {
      super(null, null, false, false);
    }
  }
}
