package dev.weft.lab.trials.dsm.check;

import dev.weft.lab.trials.dsm.check.Operation.Kind;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;

/** Histories of an imagined register whose operations take effect at one moment each: linearizable by construction. */
final class RegisterHistories {
  private record Planned(int index, int thread, Kind kind, long expected, long argument, long invokedAt, long effectAt, long returnedAt) {}

  private RegisterHistories() {}

  /**
   * Draws a history of word 0.
   *
   * @param spread ticks that an operation takes at most; few make ties
   * @param values writes draw from 0 to values - 1, or write values that nobody else writes if it is 0
   * @param pendingPercent how often the last operation of a thread never returns
   */
  static List<Operation> draw(SplittableRandom random, int threads, int operations, int spread, int values, int pendingPercent) {
    List<Planned> plan = new ArrayList<>();
    for (int thread = 0; thread < threads; thread++) {
      long now = random.nextInt(spread + 1);
      int count = operations / threads + (thread < operations % threads ? 1 : 0);
      for (int i = 0; i < count; i++) {
        long effectAt = now + random.nextInt(spread + 1);
        long returnedAt = effectAt + random.nextInt(spread + 1);
        boolean pending = i == count - 1 && random.nextInt(100) < pendingPercent;
        Kind kind = Kind.values()[random.nextInt(4)];
        long argument = values > 0 ? random.nextInt(values) : 1_000_000 + thread * 10_000L + i;
        long expected = values > 0 ? random.nextInt(values) : random.nextInt(3);
        plan.add(new Planned(plan.size(), thread, kind, kind == Kind.CAS ? expected : 0, kind == Kind.READ ? 0 : argument, now,
            pending && random.nextBoolean() ? Long.MAX_VALUE : effectAt, pending ? Operation.NEVER : returnedAt));
        now = returnedAt + random.nextInt(spread + 1);
      }
    }
    return play(plan);
  }

  private static List<Operation> play(List<Planned> plan) {
    List<Planned> byEffect = new ArrayList<>(plan);
    byEffect.sort(Comparator.comparingLong(Planned::effectAt));
    Operation[] operations = new Operation[plan.size()];
    long value = 0;
    for (Planned planned : byEffect) {
      boolean matches = value == planned.expected();
      long result = planned.returnedAt() == Operation.NEVER ? 0 : switch (planned.kind()) {
        case READ, ADD -> value;
        case WRITE -> 0;
        case CAS -> matches ? 1 : 0;
      };
      operations[planned.index()] = new Operation(planned.thread(), 0, planned.kind(), planned.expected(), planned.argument(), result,
          planned.invokedAt(), planned.returnedAt());
      value = switch (planned.kind()) {
        case READ -> value;
        case WRITE -> planned.argument();
        case ADD -> value + planned.argument();
        case CAS -> matches ? planned.argument() : value;
      };
    }
    return List.of(operations);
  }

  static Operation withResult(Operation operation, long result) {
    return new Operation(operation.thread(), operation.word(), operation.kind(), operation.expected(), operation.argument(), result,
        operation.invokedAt(), operation.returnedAt());
  }

  static History history(List<Operation> operations) {
    History history = new History();
    operations.forEach(history::add);
    return history;
  }
}
