package dev.weft.lab.trials.dsm.command;

import dev.weft.dsm.DsmBarrier;
import dev.weft.dsm.SharedLongs;
import dev.weft.dsm.SharedSpace;
import dev.weft.dsm.SharingUnit;
import dev.weft.lab.trials.dsm.check.History;
import dev.weft.lab.trials.dsm.check.Operation;
import dev.weft.lab.trials.dsm.check.Recorder;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Random reads, writes, additions and compare-and-sets of all threads of a team on a few words, recorded with their times. The clock is the
 * machine's, which all JVMs of a team share. The records pass to the first thread through shared memory, too.
 */
final class RecordTask implements Task {
  static final String NAME = "record";
  static final int OPERATIONS_MAX = 10_000;
  private static final int WORDS = 16;
  private static final int WORDS_OF_A_MINIPAGE = 4;
  /** Longs of an operation in shared memory. */
  private static final int FIELDS = 8;
  private static final int VALUES = 5;

  private final List<String> words;
  private final int operations;
  private final long seed;
  private final History history = new History();

  /** @param words name, operations of each thread, seed */
  RecordTask(List<String> words) {
    this.words = List.copyOf(words);
    this.operations = Integer.parseInt(words.get(1));
    this.seed = Long.parseLong(words.get(2));
  }

  @Override
  public List<String> words() {
    return words;
  }

  @Override
  public void play(int thread, int threads, SharedSpace node) {
    SharedLongs shared = node.longs("record-words", WORDS, SharingUnit.elements(WORDS_OF_A_MINIPAGE));
    SharedLongs log = node.longs("record-log", (long) threads * operations * FIELDS, SharingUnit.elements((long) operations * FIELDS));
    DsmBarrier barrier = node.barrier("record-barrier", threads);
    AtomicInteger numbers = new AtomicInteger(thread);
    Recorder recorder = new Recorder(() -> numbers.getAndAdd(threads), System::nanoTime);
    barrier.await();
    run(recorder.record(shared, 0), new SplittableRandom(seed * threads + thread));
    History own = new History();
    recorder.addTo(own);
    log.write((long) thread * operations * FIELDS, encoded(own), 0, operations * FIELDS);
    barrier.await();
    if (thread == 0) {
      long[] all = new long[threads * operations * FIELDS];
      log.read(0, all, 0, all.length);
      decode(all);
    }
    barrier.await();
  }

  private void run(SharedLongs array, SplittableRandom random) {
    for (int i = 0; i < operations; i++) {
      int word = random.nextInt(WORDS);
      switch (random.nextInt(4)) {
        case 0 -> array.set(word, random.nextInt(1_000_000));
        case 1 -> array.getAndAdd(word, 1);
        case 2 -> array.compareAndSet(word, random.nextInt(VALUES), random.nextInt(VALUES));
        default -> array.get(word);
      }
    }
  }

  private long[] encoded(History own) {
    long[] all = new long[operations * FIELDS];
    int at = 0;
    for (Operation each : own.operations()) {
      long[] fields = {each.thread(), each.word(), each.kind().ordinal(), each.expected(), each.argument(), each.result(), each.invokedAt(),
          each.returnedAt()};
      System.arraycopy(fields, 0, all, at, FIELDS);
      at += FIELDS;
    }
    return all;
  }

  private void decode(long[] all) {
    for (int at = 0; at < all.length; at += FIELDS) {
      history.add(new Operation((int) all[at], all[at + 1], Operation.Kind.values()[(int) all[at + 2]], all[at + 3], all[at + 4], all[at + 5], all[at + 6],
          all[at + 7]));
    }
  }

  /** The history of all threads, in the JVM of the first thread. */
  History history() {
    return history;
  }
}
