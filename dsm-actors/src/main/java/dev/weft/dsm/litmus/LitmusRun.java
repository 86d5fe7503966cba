package dev.weft.dsm.litmus;

import dev.weft.dsm.DsmBarrier;
import dev.weft.dsm.SharedLongs;
import dev.weft.dsm.SharedSpace;
import dev.weft.dsm.SharingUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.IntStream;

/**
 * Plays a litmus shape many times on shared memory. Each batch has a fresh array with many instances of the words. Before it, threads read some of
 * the words, so that some nodes have copies that must be taken from them: none, half or all, by turns. Then they meet, play the instances in
 * nearly the same order, meet again, and read the last values, each those of some instances. Threads change their parts from batch to
 * batch, so that each node plays each part; where there are more threads than parts, some only look on.
 *
 * <p>Where all threads are in one JVM, results go to arrays of it, never through the memory that is tested; otherwise see {@link #playPart}.
 */
public final class LitmusRun {
  /** How many of 100 words a thread reads before a batch, by turns. */
  private static final int[] WARM_PERCENT = {50, 0, 100};

  /** Looks at who else has come to a batch, after which a thread begins alone. */
  private static final int GATE_PAUSES_MAX = 100_000;

  private final LitmusShape shape;
  private final LitmusSettings settings;
  private final Backoff backoff;
  private final Layout layout;
  private final int parties;
  private final int width;

  private final SortedMap<Outcome, Long> seen = new TreeMap<>();

  private LitmusRun(LitmusShape shape, int parties, LitmusSettings settings, Backoff backoff) {
    if (parties < shape.threads().size()) {
      throw new IllegalArgumentException(parties + " threads for litmus shape " + shape.name() + ", must be one for each of its "
          + shape.threads().size() + " parts, or more");
    }
    this.shape = shape;
    this.settings = settings;
    this.backoff = backoff;
    this.parties = parties;
    layout = settings.placement().layout(shape.words(), settings.batch());
    width = shape.registers() + shape.observed().size();
  }

  /**
   * Plays a shape.
   *
   * @param spaces one for each thread, of one node or of several; as many as the shape has threads, or more
   * @param threads who starts the threads
   * @param backoff what a thread does while it waits for the others to begin a batch
   * @throws IllegalArgumentException if there are too few spaces
   */
  public static LitmusReport run(LitmusShape shape, List<SharedSpace> spaces, LitmusSettings settings, AtOnce threads, Backoff backoff) {
    LitmusRun run = new LitmusRun(shape, spaces.size(), settings, backoff);
    Results results = new LocalResults(settings.name(), run.parties, run.cells());
    threads.run(IntStream.range(0, run.parties).<Runnable>mapToObj(thread -> () -> run.play(thread, spaces.get(thread), results)).toList());
    return run.report();
  }

  /**
   * One thread's part, where threads are in several JVMs; all call it at about the same time. What they saw goes through shared memory, which
   * is after a barrier, where also a memory of weaker consistency would have it right.
   *
   * @param thread its number, from 0
   * @param parties threads in all, as many as the shape has, or more
   * @return what was seen, of all threads; for the first thread only
   */
  public static Optional<LitmusReport> playPart(LitmusShape shape, SharedSpace space, int thread, int parties, LitmusSettings settings,
      Backoff backoff) {
    LitmusRun run = new LitmusRun(shape, parties, settings, backoff);
    run.play(thread, space, new SharedResults(space, settings.name(), parties, run.cells()));
    return thread == 0 ? Optional.of(run.report()) : Optional.empty();
  }

  private int cells() {
    return settings.batch() * width;
  }

  private LitmusReport report() {
    return new LitmusReport(shape, settings.placement(), settings.rounds(), seen, Outcomes.of(shape));
  }

  private String arrayName(long batch) {
    return settings.name() + "-" + batch;
  }

  private void play(int thread, SharedSpace space, Results results) {
    DsmBarrier barrier = space.barrier(settings.name() + "-barrier", parties);
    SharedLongs gate = space.longs(settings.name() + "-gate", parties, SharingUnit.whole());
    for (long batch = 0; batch < settings.batches(); batch++) {
      SplittableRandom random = new SplittableRandom(settings.seed() * 31 + thread * 1_000_003L + batch * 7_919L);
      SharedLongs words = space.longs(arrayName(batch), layout.length(), layout.unit());
      int rounds = settings.roundsOf(batch);
      warm(words, random, WARM_PERCENT[(int) (batch / parties % WARM_PERCENT.length)], rounds);
      barrier.await();
      enter(gate, thread, batch);
      int part = (int) ((thread + batch) % parties);
      long[] rows = results.toFill(thread, batch);
      if (part < shape.threads().size()) {
        playPart(shape.threads().get(part), words, order(random, rounds), rows);
      }
      barrier.await();
      if (thread == 0 && batch > 0) {
        count(space, batch - 1, results.all(batch - 1));
      }
      readLast(words, part, rounds, rows);
      results.filled(thread, batch);
    }
    barrier.await();
    if (thread == 0) {
      count(space, settings.batches() - 1, results.all(settings.batches() - 1));
      space.free(settings.name() + "-gate");
    }
  }

  /** Takes readable copies, as a thread would have that has used the words before. */
  private void warm(SharedLongs words, SplittableRandom random, int percent, int rounds) {
    for (int instance = 0; instance < rounds; instance++) {
      for (int word = 0; word < shape.words(); word++) {
        if (random.nextInt(100) < percent && words.get(layout.index(instance, word)) != 0) {
          throw new IllegalStateException(settings.name() + ": a word of a fresh array is not 0");
        }
      }
    }
  }

  /**
   * Threads leave a barrier one after the other; here they wait for the last at full speed, and begin together. Whatever is wrong with the memory,
   * they begin.
   */
  private void enter(SharedLongs gate, int thread, long batch) {
    gate.set(thread, batch + 1);
    int attempt = 1;
    for (int other = 0; other < parties && attempt <= GATE_PAUSES_MAX; other++) {
      while (gate.get(other) <= batch && attempt <= GATE_PAUSES_MAX) {
        if (Thread.currentThread().isInterrupted()) {
          throw new IllegalStateException(settings.name() + ": interrupted while waiting for the other threads");
        }
        backoff.pause(attempt++);
      }
    }
  }

  /** The instances in their order, but for windows of some, which are shuffled. */
  private int[] order(SplittableRandom random, int rounds) {
    int[] order = IntStream.range(0, rounds).toArray();
    for (int from = 0; from < rounds; from += settings.window()) {
      for (int i = Math.min(rounds, from + settings.window()) - 1; i > from; i--) {
        int other = from + random.nextInt(i - from + 1);
        int swapped = order[i];
        order[i] = order[other];
        order[other] = swapped;
      }
    }
    return order;
  }

  private void playPart(List<Access> accesses, SharedLongs words, int[] order, long[] into) {
    Access[] part = accesses.toArray(Access[]::new);
    for (int instance : order) {
      for (Access access : part) {
        long index = layout.index(instance, access.word());
        switch (access) {
          case Access.Write write -> words.set(index, write.value());
          case Access.Read read -> into[instance * width + read.register()] = words.get(index);
        }
      }
    }
  }

  /** Each thread those of some instances, so that all nodes are asked. */
  private void readLast(SharedLongs words, int part, int rounds, long[] into) {
    for (int instance = part; instance < rounds; instance += parties) {
      for (int i = 0; i < shape.observed().size(); i++) {
        into[instance * width + shape.registers() + i] = words.get(layout.index(instance, shape.observed().get(i)));
      }
    }
  }

  /** Of the first thread, after a barrier that all reached when they had done with that batch. */
  private void count(SharedSpace space, long batch, long[] rows) {
    for (int instance = 0; instance < settings.roundsOf(batch); instance++) {
      List<Long> values = new ArrayList<>(width);
      for (int i = 0; i < width; i++) {
        SharedResults.checkRow(settings.name(), rows[instance * width + i]);
        values.add(rows[instance * width + i]);
      }
      seen.merge(new Outcome(values), 1L, Long::sum);
    }
    space.free(arrayName(batch));
  }
}
