package dev.weft.lab.trials.dsm.check;

import java.util.ArrayList;
import java.util.List;

/** Tries all orders of a few operations on one word, with nothing shared with the checker that it is compared with. */
final class BruteForce {
  private BruteForce() {}

  static boolean linearizable(List<Operation> operations) {
    return linearizable(operations, Long.MAX_VALUE);
  }

  /** Up to that time: what had not ended then may be left out, what had not begun is. */
  static boolean linearizable(List<Operation> operations, long until) {
    return place(operations.stream().filter(operation -> operation.invokedAt() <= until).toList(), 0, until);
  }

  private static boolean place(List<Operation> left, long value, long until) {
    if (left.stream().noneMatch(operation -> operation.returned() && operation.returnedAt() <= until)) {
      return true;
    }
    for (Operation next : left) {
      boolean mayBeNext = left.stream().noneMatch(other -> other != next && precedes(other, next, left));
      if (mayBeNext && agrees(next, value)) {
        List<Operation> rest = new ArrayList<>(left);
        rest.remove(next);
        if (place(rest, apply(next, value), until)) {
          return true;
        }
      }
    }
    return false;
  }

  private static boolean precedes(Operation a, Operation b, List<Operation> inOrder) {
    if (a.thread() == b.thread()) {
      return inOrder.indexOf(a) < inOrder.indexOf(b);
    }
    return a.returned() && a.returnedAt() < b.invokedAt();
  }

  private static boolean agrees(Operation operation, long value) {
    if (!operation.returned()) {
      return true;
    }
    return switch (operation.kind()) {
      case WRITE -> true;
      case READ, ADD -> operation.result() == value;
      case CAS -> operation.result() == (value == operation.expected() ? 1 : 0);
    };
  }

  private static long apply(Operation operation, long value) {
    return switch (operation.kind()) {
      case READ -> value;
      case WRITE -> operation.argument();
      case ADD -> value + operation.argument();
      case CAS -> value == operation.expected() ? operation.argument() : value;
    };
  }
}
