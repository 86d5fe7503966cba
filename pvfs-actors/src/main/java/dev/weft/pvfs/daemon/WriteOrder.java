package dev.weft.pvfs.daemon;

import java.util.ArrayDeque;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.agrona.collections.Long2LongCounterMap;

/**
 * What waits for writes of the same object: cutting, holes and removal for those that have begun, and writes that come later behind these. Bound: operations
 * that there are.
 */
final class WriteOrder {
  /** Writes to each object that have begun and are not over. */
  private final Long2LongCounterMap writing = new Long2LongCounterMap(0);
  /** In order. */
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

  /** A write is over; {@code run} gets what has waited enough. */
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
