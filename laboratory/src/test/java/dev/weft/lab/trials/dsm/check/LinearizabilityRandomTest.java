package dev.weft.lab.trials.dsm.check;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.lab.trials.dsm.check.Operation.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class LinearizabilityRandomTest {
  private static final long SEED = 20;

  private static CheckResult check(List<Operation> operations) {
    return new Linearizability().check(RegisterHistories.history(operations));
  }

  private static String show(long seed, List<Operation> operations) {
    return "seed " + seed + ": " + operations;
  }

  /** Other results for some operations. */
  private static List<Operation> mutate(SplittableRandom random, List<Operation> operations, int values, int percent) {
    return operations.stream()
        .map(operation -> operation.returned() && operation.kind() != Kind.WRITE && random.nextInt(100) < percent
            ? RegisterHistories.withResult(operation, random.nextInt(operation.kind() == Kind.CAS ? 2 : values)) : operation)
        .toList();
  }

  @Test
  void shouldAgreeWithAllOrdersOfAFewOperations() {
    int violated = 0;
    int histories = 20_000;
    for (long seed = SEED; seed < SEED + histories; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      int spread = 1 + random.nextInt(4);
      List<Operation> operations = mutate(random,
          RegisterHistories.draw(random, 1 + random.nextInt(4), 1 + random.nextInt(6), spread, 3, 30), 3, 25);
      boolean expected = BruteForce.linearizable(operations);
      CheckResult result = check(operations);
      assertEquals(expected ? Verdict.HOLDS : Verdict.VIOLATED, result.verdict(), show(seed, operations));
      violated += expected ? 0 : 1;
    }
    assertTrue(violated > histories / 10 && violated < histories / 2, "seeds from " + SEED + ": " + violated + " violated");
  }

  @Test
  void shouldNameTheFirstReturnThatCannotBeExplained() {
    int violated = 0;
    for (long seed = SEED; seed < SEED + 5_000; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      List<Operation> operations = mutate(random, RegisterHistories.draw(random, 3, 6, 1_000_000, 3, 30), 3, 40);
      CheckResult result = check(operations);
      if (result.verdict() == Verdict.VIOLATED) {
        violated++;
        Misfit misfit = result.misfits().getFirst();
        long end = misfit.culprit().returnedAt();
        assertTrue(BruteForce.linearizable(operations, end - 1), show(seed, operations) + misfit);
        assertTrue(!BruteForce.linearizable(operations, end), show(seed, operations) + misfit);
        assertTrue(isOrder(misfit.explained()), show(seed, operations) + misfit);
      }
    }
    assertTrue(violated > 500, "seeds from " + SEED + ": " + violated + " violated");
  }

  private static boolean isOrder(List<Operation> order) {
    long value = 0;
    for (Operation operation : order) {
      if (!operation.possible(value)) {
        return false;
      }
      value = operation.after(value);
    }
    return true;
  }

  @Test
  void shouldAcceptWhatARegisterDoes() {
    for (long seed = SEED; seed < SEED + 200; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      List<Operation> operations = RegisterHistories.draw(random, 2 + random.nextInt(7), 300, 1 + random.nextInt(50),
          random.nextInt(2) * 4, 50);
      CheckResult result = check(operations);
      assertEquals(Verdict.HOLDS, result.verdict(), "seed " + seed + ": " + result);
    }
  }

  @Test
  void shouldNoticeAResultThatNothingExplains() {
    for (long seed = SEED; seed < SEED + 200; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      List<Operation> operations = new ArrayList<>(RegisterHistories.draw(random, 2 + random.nextInt(3), 200, 1 + random.nextInt(50), 0, 50));
      List<Integer> reads = IntStream.range(0, operations.size())
          .filter(i -> operations.get(i).returned() && operations.get(i).kind() == Kind.READ).boxed().toList();
      int mutated = reads.get(random.nextInt(reads.size()));
      operations.set(mutated, RegisterHistories.withResult(operations.get(mutated), -1));
      CheckResult result = check(operations);
      assertEquals(Verdict.VIOLATED, result.verdict(), "seed " + seed + ": " + result);
      assertEquals(operations.get(mutated), result.misfits().getFirst().culprit(), "seed " + seed);
    }
  }

  @Test
  void shouldNoticeAnAdditionThatAnswersWhatAnotherDid() {
    for (long seed = SEED; seed < SEED + 100; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      List<Operation> drawn = RegisterHistories.draw(random, 3, 150, 10, 0, 0);
      List<Operation> additions = new ArrayList<>();
      long before = 0;
      for (Operation operation : drawn.stream().sorted((a, b) -> Long.compare(a.returnedAt(), b.returnedAt())).toList()) {
        additions.add(Operation.add(operation.thread(), 0, 1, before++, operation.invokedAt(), operation.returnedAt()));
      }
      assertEquals(Verdict.HOLDS, check(additions).verdict(), "seed " + seed);
      int twice = 1 + random.nextInt(additions.size() - 1);
      additions.set(twice, RegisterHistories.withResult(additions.get(twice), additions.get(random.nextInt(twice)).result()));
      assertEquals(Verdict.VIOLATED, check(additions).verdict(), "seed " + seed);
    }
  }

  @Test
  void shouldAcceptWhatThreadsDoToAnAtomicLong() throws InterruptedException {
    AtomicLong register = new AtomicLong();
    AtomicLong clock = new AtomicLong();
    List<List<Operation>> seen = IntStream.range(0, 4).<List<Operation>>mapToObj(_ -> new ArrayList<>()).toList();
    List<Thread> threads = IntStream.range(0, 4).mapToObj(thread -> new Thread(() -> {
      SplittableRandom random = new SplittableRandom(SEED + thread);
      for (int i = 0; i < 100; i++) {
        seen.get(thread).add(operate(thread, random, register, clock));
      }
    })).toList();
    threads.forEach(Thread::start);
    for (Thread thread : threads) {
      thread.join();
    }
    CheckResult result = check(seen.stream().flatMap(List::stream).toList());
    assertEquals(Verdict.HOLDS, result.verdict(), result.toString());
  }

  private static Operation operate(int thread, SplittableRandom random, AtomicLong register, AtomicLong clock) {
    long value = random.nextInt(4);
    long expected = random.nextInt(4);
    long invokedAt = clock.getAndIncrement();
    return switch (Kind.values()[random.nextInt(4)]) {
      case READ -> Operation.read(thread, 0, register.get(), invokedAt, clock.getAndIncrement());
      case WRITE -> {
        register.set(value);
        yield Operation.write(thread, 0, value, invokedAt, clock.getAndIncrement());
      }
      case ADD -> Operation.add(thread, 0, value, register.getAndAdd(value), invokedAt, clock.getAndIncrement());
      case CAS -> Operation.cas(thread, 0, expected, value, register.compareAndSet(expected, value), invokedAt, clock.getAndIncrement());
    };
  }
}
