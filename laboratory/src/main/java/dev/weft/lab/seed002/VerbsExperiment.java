package dev.weft.lab.seed002;

import com.typesafe.config.ConfigFactory;
import dev.weft.fabric.link.LinkFaults;
import dev.weft.hca.node.Node;
import dev.weft.hca.node.VirtualFabric;
import dev.weft.hca.verbs.Access;
import dev.weft.hca.verbs.CompletionQueue;
import dev.weft.hca.verbs.MemoryRegion;
import dev.weft.hca.verbs.ProtectionDomain;
import dev.weft.hca.verbs.QpAttr;
import dev.weft.hca.verbs.QpInitAttr;
import dev.weft.hca.verbs.QueuePair;
import dev.weft.hca.verbs.ReceiveContext;
import dev.weft.hca.verbs.ReceiveRequest;
import dev.weft.hca.verbs.WorkCompletion;
import dev.weft.hca.verbs.WorkRequest;
import dev.weft.lab.hosts.HardwareProfile;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.function.BooleanSupplier;

/** Latency and bandwidth of single verbs on a hardware profile, in virtual time (seed 002 section 6.2 and Table 2). */
public final class VerbsExperiment {
  /** What is measured. */
  public enum Verb { SEND, RDMA_WRITE, RDMA_READ }

  private static final int WORD = 4;
  private static final int MESSAGE_BYTES = 1 << 20;
  private static final int MESSAGES = 32;
  private static final long PATIENCE_NS = 10_000_000_000L;

  private VerbsExperiment() {}

  /**
   * Nanoseconds from the post of a four-byte request until its effect is seen: a received message and a read at their completion and
   * one poll, a write at its byte in the target's memory.
   */
  public static long latencyNs(HardwareProfile profile, Verb verb, long seed) {
    try (VirtualFabric fabric = new VirtualFabric(seed, profile, LinkFaults.NONE, ConfigFactory.empty())) {
      Side near = new Side(fabric.addNode("near"), WORD);
      Side far = new Side(fabric.addNode("far"), WORD);
      connect(near, far, profile.mtuBytes());
      fetchContexts(fabric, near, far);
      near.memory.set(ValueLayout.JAVA_INT, 0, 1);
      far.qp.postReceive(new ReceiveRequest().receive(0).sge(far.mr, 0, WORD));
      fabric.system().runFor(1_000_000);
      long startNs = fabric.system().nowNs();
      near.qp.postSend(request(verb, near, far, WORD));
      await(fabric, switch (verb) {
        case SEND -> () -> far.cq.size() > 0;
        case RDMA_WRITE -> () -> far.memory.get(ValueLayout.JAVA_INT, 0) == 1;
        case RDMA_READ -> () -> near.cq.size() > 0;
      });
      return fabric.system().nowNs() - startNs + (verb == Verb.RDMA_WRITE ? 0 : profile.cpu().pollNs());
    }
  }

  /** A read goes through both engines of both adapters, which then have the queue pairs at hand. */
  private static void fetchContexts(VirtualFabric fabric, Side near, Side far) {
    near.qp.postSend(request(Verb.RDMA_READ, near, far, WORD));
    await(fabric, () -> near.cq.poll(new WorkCompletion()));
  }

  /** Bytes per second of messages of 1 MiB that are posted all at once. */
  public static double bandwidth(HardwareProfile profile, Verb verb, long seed) {
    try (VirtualFabric fabric = new VirtualFabric(seed, profile, LinkFaults.NONE, ConfigFactory.empty())) {
      Side near = new Side(fabric.addNode("near"), MESSAGE_BYTES);
      Side far = new Side(fabric.addNode("far"), MESSAGE_BYTES);
      connect(near, far, profile.mtuBytes());
      for (int i = 0; i < MESSAGES; i++) {
        far.qp.postReceive(new ReceiveRequest().receive(i).sge(far.mr, 0, MESSAGE_BYTES));
      }
      fabric.system().runFor(1_000_000);
      long startNs = fabric.system().nowNs();
      for (int i = 0; i < MESSAGES; i++) {
        near.qp.postSend(request(verb, near, far, MESSAGE_BYTES));
      }
      await(fabric, () -> near.cq.size() == MESSAGES);
      return (double) MESSAGES * MESSAGE_BYTES / (fabric.system().nowNs() - startNs) * 1e9;
    }
  }

  private static WorkRequest request(Verb verb, Side near, Side far, int length) {
    WorkRequest request = new WorkRequest();
    WorkRequest verbOnly = switch (verb) {
      case SEND -> request.send();
      case RDMA_WRITE -> request.write(far.mr.addr(), far.mr.rkey());
      case RDMA_READ -> request.read(far.mr.addr(), far.mr.rkey());
    };
    return verbOnly.sge(near.mr, 0, length).signaled();
  }

  private static void await(VirtualFabric fabric, BooleanSupplier seen) {
    if (!fabric.system().runUntil(seen, PATIENCE_NS)) {
      throw new IllegalStateException("nothing was seen within " + PATIENCE_NS + " ns of virtual time");
    }
  }

  private static void connect(Side one, Side other, int mtuBytes) {
    one.qp.modify(QpAttr.init(Access.ALL));
    other.qp.modify(QpAttr.init(Access.ALL));
    one.qp.modify(QpAttr.rtr().destLid(other.qp.hca().lid()).destQpNum(other.qp.qpNum()).rqPsn(2).pathMtu(mtuBytes));
    other.qp.modify(QpAttr.rtr().destLid(one.qp.hca().lid()).destQpNum(one.qp.qpNum()).rqPsn(1).pathMtu(mtuBytes));
    one.qp.modify(QpAttr.rts(1));
    other.qp.modify(QpAttr.rts(2));
  }

  private static final class Side {
    final CompletionQueue cq;
    final QueuePair qp;
    final MemorySegment memory;
    final MemoryRegion mr;

    Side(Node node, int bytes) {
      ProtectionDomain pd = node.hca().allocPd();
      cq = node.hca().createCq(2 * MESSAGES, ReceiveContext.POLLING, null);
      qp = node.hca().createQp(pd, new QpInitAttr(cq, cq, MESSAGES, MESSAGES, 1, 1, 0, false));
      memory = Arena.ofAuto().allocate(bytes, Long.BYTES);
      mr = node.hca().regMr(pd, memory, Access.ALL);
    }
  }
}
