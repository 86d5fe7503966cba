package dev.weft.lab.trials.dsm.litmus;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.weft.dsm.SharedLongs;
import dev.weft.dsm.SharedSpace;
import dev.weft.dsm.SharingUnit;
import dev.weft.lab.trials.dsm.check.CheckResult;
import dev.weft.lab.trials.dsm.check.History;
import dev.weft.lab.trials.dsm.check.Linearizability;
import dev.weft.lab.trials.dsm.check.Operation;
import dev.weft.lab.trials.dsm.check.Recorder;
import dev.weft.lab.trials.dsm.check.Verdict;
import dev.weft.lab.trials.dsm.litmus.FakeFabric.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** What a program does to shared memory, recorded and checked. */
class RecordedRunTest {
  private static CheckResult check(Kind kind, long seed) {
    Baton baton = new Baton(seed);
    FakeFabric fabric = new FakeFabric(kind, baton::step);
    AtomicInteger numbers = new AtomicInteger();
    AtomicLong clock = new AtomicLong();
    List<Recorder> recorders = new ArrayList<>();
    List<Runnable> bodies = new ArrayList<>();
    for (SharedSpace space : fabric.spaces(4)) {
      Recorder recorder = new Recorder(numbers::getAndIncrement, clock::getAndIncrement);
      recorders.add(recorder);
      SplittableRandom random = new SplittableRandom(seed + space.node());
      bodies.add(() -> play(recorder.record(space.longs("words", 2, SharingUnit.whole()), 10), random, baton::step));
    }
    baton.run(bodies);
    History history = new History();
    recorders.forEach(recorder -> recorder.addTo(history));
    assertEquals(400, history.operations().size());
    return new Linearizability().check(history);
  }

  private static void play(SharedLongs words, SplittableRandom random, Runnable between) {
    for (int i = 0; i < 100; i++) {
      // Others run in the middle of an operation as well, but what they do then is concurrent with it.
      between.run();
      int word = random.nextInt(2);
      switch (random.nextInt(4)) {
        case 0 -> words.set(word, random.nextInt(1_000));
        case 1 -> words.getAndAdd(word, 1);
        case 2 -> words.compareAndSet(word, random.nextInt(5), random.nextInt(5));
        default -> words.get(word);
      }
    }
  }

  @Test
  void shouldAcceptMemoryThatIsRight() {
    for (long seed = 1; seed <= 20; seed++) {
      CheckResult result = check(Kind.SEQUENTIAL, seed);
      assertEquals(Verdict.HOLDS, result.verdict(), "seed " + seed + ": " + result);
    }
  }

  @Test
  void shouldFindEachKindOfMemoryThatIsWrong() {
    for (Kind kind : Kind.values()) {
      if (kind != Kind.SEQUENTIAL) {
        for (long seed = 1; seed <= 5; seed++) {
          CheckResult result = check(kind, seed);
          assertEquals(Verdict.VIOLATED, result.verdict(), kind + ", seed " + seed + ": " + result);
        }
      }
    }
  }

  @Test
  void shouldTakeWhatThrewAsNeverReturned() {
    SharedLongs words = new FakeFabric(Kind.SEQUENTIAL, () -> { }).spaces(1).getFirst().longs("words", 2, SharingUnit.whole());
    AtomicInteger numbers = new AtomicInteger();
    AtomicLong clock = new AtomicLong();
    Recorder recorder = new Recorder(numbers::getAndIncrement, clock::getAndIncrement);
    SharedLongs recorded = recorder.record(words, 0);
    recorded.set(1, 5);
    assertThrows(IndexOutOfBoundsException.class, () -> recorded.set(2, 7));
    recorded.compareAndSet(1, 5, 6);
    History history = new History();
    recorder.addTo(history);
    assertEquals(List.of(Operation.write(0, 1, 5, 0, 1), Operation.write(0, 2, 7, 2, Operation.NEVER),
        Operation.cas(1, 1, 5, 6, true, 3, 4)), history.operations());
    assertThrows(UnsupportedOperationException.class, () -> recorded.read(0, new long[2], 0, 2));
  }
}
