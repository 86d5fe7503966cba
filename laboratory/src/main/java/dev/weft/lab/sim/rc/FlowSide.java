package dev.weft.lab.sim.rc;

import dev.weft.hca.verbs.Access;
import dev.weft.hca.verbs.CompletionQueue;
import dev.weft.hca.verbs.MemoryRegion;
import dev.weft.hca.verbs.ProtectionDomain;
import dev.weft.hca.verbs.QpInitAttr;
import dev.weft.hca.verbs.QpType;
import dev.weft.hca.verbs.QueuePair;
import dev.weft.hca.verbs.ReceiveContext;
import dev.weft.hca.verbs.SharedReceiveQueue;
import dev.weft.hca.verbs.WorkCompletion;
import dev.weft.lab.kit.Draw;
import dev.weft.lab.kit.Violations;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.function.Consumer;

/** One node's part of a {@link SideFlow}: a domain, memory, and a completion queue that is resized while completions wait in it. */
final class FlowSide {
  private static final double RESIZE_SHARE = 0.1;

  final SimNode node;
  private final int cqe;
  private final WorkCompletion wc = new WorkCompletion();
  private CompletionQueue cq;
  private long polled;
  ProtectionDomain pd;
  MemorySegment memory;
  MemoryRegion region;

  /** @param cqe capacity of the completion queue */
  FlowSide(SimNode node, int cqe) {
    this.node = node;
    this.cqe = cqe;
  }

  void create(SimulationMemory shared, int bytes) {
    create(shared, bytes, 0);
  }

  /** The same with a region that grants more {@link Access} bits. */
  void create(SimulationMemory shared, int bytes, int moreAccess) {
    pd = node.hca.allocPd();
    memory = shared.allocate(Math.max(8, bytes));
    memory.fill(SimNode.GUARD);
    region = node.hca.regMr(pd, memory, Access.ALL | Access.MW_BIND | moreAccess);
    cq = node.hca.createCq(cqe, ReceiveContext.POLLING, null);
  }

  /** A queue pair with one scatter/gather element; {@code srq} may be null. */
  QueuePair queuePair(QpType type, int sends, int receives, SharedReceiveQueue srq) {
    return node.hca.createQp(pd, new QpInitAttr(cq, cq, sends, receives, 1, 1, 0, false).withType(type).withSrq(srq));
  }

  /** Takes all completions. */
  void poll(Draw draw, Consumer<WorkCompletion> consumer) {
    if (draw.chance(RESIZE_SHARE)) {
      cq.resize(draw.between(cqe, 3 * cqe));
    }
    while (cq.poll(wc)) {
      polled++;
      consumer.accept(wc);
    }
  }

  /** A byte that shows its message and position. */
  static byte pattern(long salt, int message, int position) {
    return (byte) (salt + message * 131L + position * 7L + (position >> 8));
  }

  void fill(int offset, int length, long salt, int message) {
    for (int i = 0; i < length; i++) {
      memory.set(ValueLayout.JAVA_BYTE, offset + i, pattern(salt, message, i));
    }
  }

  /** The first position whose byte does not belong to the message, or -1. */
  int firstWrong(int offset, int length, long salt, int message) {
    for (int i = 0; i < length; i++) {
      if (memory.get(ValueLayout.JAVA_BYTE, offset + i) != pattern(salt, message, i)) {
        return i;
      }
    }
    return -1;
  }

  /** Checks that all completions were polled and none was lost. */
  void check(Violations violations) {
    long completions = node.hca.inspect().completionQueues().stream().filter(c -> c.number() == cq.number()).findFirst().orElseThrow()
        .completions();
    if (cq.size() != 0 || cq.isOverrun() || completions != polled) {
      violations.add("completion queue " + cq.number() + " of node " + node.index + ": " + polled + " completions polled, it had "
          + completions + " and holds " + cq.size());
    }
  }
}
