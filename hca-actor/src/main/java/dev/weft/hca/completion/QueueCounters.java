package dev.weft.hca.completion;

import dev.weft.hca.verbs.CompletionCounter;
import dev.weft.hca.verbs.VerbsException;
import dev.weft.hca.verbs.VerbsException.Errno;
import dev.weft.hca.verbs.WrOpcode;
import java.util.EnumMap;
import java.util.Map;
import java.util.Set;

/** The completion counters that are attached to one queue pair. Hardware thread. */
public final class QueueCounters {
  /** Null if no counter is attached, which is the usual case. */
  private Map<CompletionCounter.Operation, CompCounter> attached;

  /** Attaches a counter to all of these operations, or to none if one of them already has a counter; messages name the queue pair by {@code what}. */
  void attach(CompCounter counter, Set<CompletionCounter.Operation> operations, Object what) {
    Map<CompletionCounter.Operation, CompCounter> all = attached == null ? new EnumMap<>(CompletionCounter.Operation.class) : attached;
    for (CompletionCounter.Operation operation : operations) {
      if (all.containsKey(operation)) {
        throw new VerbsException(Errno.EBUSY, what + " has a counter for " + operation + " already");
      }
    }
    for (CompletionCounter.Operation operation : operations) {
      all.put(operation, counter);
      counter.useCount++;
    }
    attached = all;
  }

  /** Detaches all counters because the queue pair is being destroyed. */
  public void detach() {
    if (attached != null) {
      attached.values().forEach(counter -> counter.useCount--);
      attached = null;
    }
  }

  /** Counts a completed send request, signaled or not. */
  public void sendCompleted(WrOpcode opcode, boolean success) {
    if (attached != null) {
      CompletionCounter.Operation operation = switch (opcode) {
        case SEND, SEND_WITH_IMM, SEND_WITH_INV -> CompletionCounter.Operation.SEND;
        case RDMA_WRITE, RDMA_WRITE_WITH_IMM, ATOMIC_WRITE -> CompletionCounter.Operation.RDMA_WRITE;
        case RDMA_READ -> CompletionCounter.Operation.RDMA_READ;
        case ATOMIC_CMP_AND_SWP, ATOMIC_FETCH_AND_ADD -> CompletionCounter.Operation.ATOMIC;
        case LOCAL_INV, BIND_MW, FLUSH -> null;
      };
      if (operation != null) {
        completed(operation, success);
      }
    }
  }

  public void completed(CompletionCounter.Operation operation, boolean success) {
    if (attached != null) {
      CompCounter counter = attached.get(operation);
      if (counter != null) {
        counter.completed(success);
      }
    }
  }
}
