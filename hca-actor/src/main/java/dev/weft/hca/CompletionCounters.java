package dev.weft.hca;

import dev.weft.hca.VerbsException.Errno;
import java.util.EnumMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Completion counters of one HCA. Hardware thread. Bound: {@code completion-counters-max}. */
final class CompletionCounters {
  private final Hca hca;
  private final int countersMax;
  private final Set<CompletionCounter> existing = new LinkedHashSet<>();
  private int nextNumber = 1;

  CompletionCounters(Hca hca, int countersMax) {
    this.hca = hca;
    this.countersMax = countersMax;
  }

  CompletionCounter create() {
    if (existing.size() >= countersMax) {
      throw new VerbsException(Errno.ENOMEM,
          "the HCA holds " + countersMax + " completion counters already; raise weft.hca.completion-counters-max");
    }
    CompletionCounter counter = new CompletionCounter(hca, nextNumber++);
    existing.add(counter);
    return counter;
  }

  /** In the order of their creation. */
  List<HcaSnapshot.CompletionCount> snapshot() {
    return existing.stream()
        .map(c -> new HcaSnapshot.CompletionCount(c.number(), c.count(), c.errorCount(), c.useCount)).toList();
  }

  void destroy(CompletionCounter counter) {
    checkAlive(counter);
    if (counter.useCount > 0) {
      throw new VerbsException(Errno.EBUSY, "the counter is attached " + counter.useCount + " times; destroy the queue pairs first");
    }
    counter.destroyed = true;
    existing.remove(counter);
  }

  void attach(QueuePair qp, CompletionCounter counter, Set<CompletionCounter.Operation> operations) {
    checkAlive(counter);
    if (qp.destroyed || (qp.state != QpState.RESET && qp.state != QpState.INIT)) {
      throw new VerbsException(Errno.EINVAL, qp + ": counters are attached in RESET or INIT, before anything completes");
    }
    Map<CompletionCounter.Operation, CompletionCounter> attached =
        qp.counters == null ? new EnumMap<>(CompletionCounter.Operation.class) : qp.counters;
    for (CompletionCounter.Operation operation : operations) {
      if (attached.containsKey(operation)) {
        throw new VerbsException(Errno.EBUSY, qp + " has a counter for " + operation + " already");
      }
    }
    for (CompletionCounter.Operation operation : operations) {
      attached.put(operation, counter);
      counter.useCount++;
    }
    qp.counters = attached;
  }

  private static void checkAlive(CompletionCounter counter) {
    if (counter.destroyed) {
      throw new VerbsException(Errno.EINVAL, "the counter is destroyed");
    }
  }

  /** The queue pair is being destroyed. */
  static void detach(QueuePair qp) {
    if (qp.counters != null) {
      qp.counters.values().forEach(counter -> counter.useCount--);
      qp.counters = null;
    }
  }

  /** A send request of the queue pair has completed, signaled or not. */
  static void sendCompleted(QueuePair qp, WrOpcode opcode, boolean success) {
    if (qp.counters != null) {
      CompletionCounter.Operation operation = switch (opcode) {
        case SEND, SEND_WITH_IMM, SEND_WITH_INV -> CompletionCounter.Operation.SEND;
        case RDMA_WRITE, RDMA_WRITE_WITH_IMM, ATOMIC_WRITE -> CompletionCounter.Operation.RDMA_WRITE;
        case RDMA_READ -> CompletionCounter.Operation.RDMA_READ;
        case ATOMIC_CMP_AND_SWP, ATOMIC_FETCH_AND_ADD -> CompletionCounter.Operation.ATOMIC;
        case LOCAL_INV, BIND_MW, FLUSH -> null;
      };
      completed(qp, operation, success);
    }
  }

  static void completed(QueuePair qp, CompletionCounter.Operation operation, boolean success) {
    if (qp.counters != null && operation != null) {
      CompletionCounter counter = qp.counters.get(operation);
      if (counter != null) {
        counter.completed(success);
      }
    }
  }
}
