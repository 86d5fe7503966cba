package dev.weft.pvfs.daemon;

import java.util.ArrayDeque;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.agrona.collections.Long2LongCounterMap;

/**
 * Orders operations on one object: truncation, holes and removal wait for writes that have begun, and later writes wait behind these. Bound: the
 * number of operations.
 */
final class WriteOrder {
  /** Writes of each object that have begun and not ended. */
  private final Long2LongCounterMap writing = new Long2LongCounterMap(0);
  /** Waiting operations, in order. */
  private final ArrayDeque<DaemonOperation> behind = new ArrayDeque<>();

  boolean hasToWait(DaemonOperation op) {
    long object = op.request.object;
    return switch (op.request.op) {
      case TRUNCATE, PUNCH, REMOVE -> writing.get(object) > 0 || isAmongBehind(object);
      case WRITE -> isAmongBehind(object);
      default -> false;
    };
  }

  private boolean isAmongBehind(long object) {
    return behind.stream().anyMatch(one -> one.request.object == object);
  }

  boolean hasWaiting() {
    return !behind.isEmpty();
  }

  void await(DaemonOperation op) {
    behind.add(op);
  }

  void begun(long object) {
    writing.getAndIncrement(object);
  }

  /** A write has ended; {@code run} gets the operations that need not wait any more. */
  void ended(long object, Consumer<DaemonOperation> run) {
    writing.decrementAndGet(object);
    List<DaemonOperation> waited = List.copyOf(behind);
    behind.clear();
    for (DaemonOperation op : waited) {
      if (hasToWait(op)) {
        behind.add(op);
      } else {
        run.accept(op);
      }
    }
  }

  void removeIf(Predicate<DaemonOperation> which) {
    behind.removeIf(which);
  }
}
