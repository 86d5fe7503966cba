package dev.weft.lab.trials.dsm.litmus;

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
 * Plays a litmus shape many times on shared memory. Each batch has a fresh array with many instances of the words. Before a batch, threads read none,
 * half or all of the words, in turn, so that some nodes have copies that must be invalidated. Then they meet, play the instances in nearly the same
 * order, meet again, and read the last values, each thread those of some instances. Threads change their parts from batch to batch, so that each node
 * plays each part. If there are more threads than parts, some play none.
 *
 * <p>If all threads are in one JVM, results go to its arrays, never through the memory under test; otherwise see {@link #playPart}.
 */
public final class LitmusRun {
  /** Percentage of the words that a thread reads before a batch, in turn. */
  private static final int[] WARM_PERCENT = {50, 0, 100};

  /** Maximum looks at the other threads before a batch; after that a thread begins alone. */
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
   * @param threads starts the threads
   * @param backoff pause of a thread that waits for the others to begin a batch
   * @throws IllegalArgumentException if there are too few spaces
   */
  public static LitmusReport run(LitmusShape shape, List<SharedSpace> spaces, LitmusSettings settings, AtOnce threads, Backoff backoff) {
    LitmusRun run = new LitmusRun(shape, spaces.size(), settings, backoff);
    Results results = new LocalResults(settings.name(), run.parties, run.cells());
    threads.run(IntStream.range(0, run.parties).<Runnable>mapToObj(thread -> () -> run.play(thread, spaces.get(thread), results)).toList());
    return run.report();
  }

  /**
   * Plays one thread's part, if threads are in several JVMs; all call it at about the same time. Results go through shared memory, but only after a
   * barrier, where weaker memories are correct, too.
   *
   * @param thread number of the thread, from 0
   * @param parties number of all threads, as many as the shape has, or more
   * @return the outcomes of all threads; for the first thread only
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

  /** Fetches readable copies, as if the thread had used the words before. */
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
   * Threads leave a barrier one after the other. Here they wait for the last one at full speed, and begin together. They begin even if the memory is
   * wrong.
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

  /** The instances in order, shuffled within windows. */
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

  /** Each thread reads those of some instances, so that all nodes are asked. */
  private void readLast(SharedLongs words, int part, int rounds, long[] into) {
    for (int instance = part; instance < rounds; instance += parties) {
      for (int i = 0; i < shape.observed().size(); i++) {
        into[instance * width + shape.registers() + i] = words.get(layout.index(instance, shape.observed().get(i)));
      }
    }
  }

  /** Called by the first thread, after a barrier that all reached when they had finished that batch. */
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
