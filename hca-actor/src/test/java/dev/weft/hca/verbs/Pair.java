package dev.weft.hca.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.weft.fabric.link.LinkFaults;
import dev.weft.fabric.link.LinkProfile;
import dev.weft.fabric.packet.Packet;
import dev.weft.fabric.packet.Payload;
import dev.weft.hca.node.Node;
import dev.weft.hca.node.VirtualFabric;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;

/** Two nodes in virtual time, each with a queue pair, completion queues and a registered buffer; connected by hand. */
public final class Pair implements AutoCloseable {
  public static final int BUFFER = 1 << 20;
  public static final int MTU = 1024;
  /** 67 ms: losses are mended, and the end of retries is reached, within the time that tests run for. */
  public static final int TIMEOUT = 14;
  public static final long SECOND = 1_000_000_000L;

  public final VirtualFabric fabric;
  private final Arena arena = Arena.ofShared();
  public final Side a;
  public final Side b;

  /** One side of the pair. */
  public static final class Side {
    public final Node node;
    public final Hca hca;
    public final ProtectionDomain pd;
    public final CompletionQueue sendCq;
    public final CompletionQueue recvCq;
    public final QueuePair qp;
    public final MemorySegment memory;
    public final MemoryRegion mr;
    public final WorkRequest wr = new WorkRequest();
    public final ReceiveRequest rr = new ReceiveRequest();

    Side(Node node, QpShape shape, int access, Arena arena) {
      this.node = node;
      hca = node.hca();
      pd = hca.allocPd();
      sendCq = hca.createCq(shape.cqe, ReceiveContext.POLLING, null);
      recvCq = hca.createCq(shape.cqe, ReceiveContext.POLLING, null);
      qp = hca.createQp(pd, new QpInitAttr(sendCq, recvCq, shape.depth, shape.depth, 4, 4, 256, shape.sigAll));
      memory = arena.allocate(BUFFER, 64);
      mr = hca.regMr(pd, memory, 0x10000000L * hca.lid(), access);
    }

    public List<WorkCompletion> sent() {
      return drain(sendCq);
    }

    public List<WorkCompletion> received() {
      return drain(recvCq);
    }

    /** Fills the buffer with bytes that depend on {@code salt} and the position. */
    public Side fill(int salt) {
      for (int i = 0; i < 1 << 16; i++) {
        memory.set(ValueLayout.JAVA_BYTE, i, (byte) (salt + i * 31 + (i >> 8)));
      }
      return this;
    }

    public long word(long offset) {
      return memory.get(ValueLayout.JAVA_LONG, offset);
    }

    public void word(long offset, long value) {
      memory.set(ValueLayout.JAVA_LONG, offset, value);
    }

    /** The one send completion there must be. */
    public WorkCompletion oneSent() {
      return one(sent());
    }

    /** The one receive completion there must be. */
    public WorkCompletion oneReceived() {
      return one(received());
    }

    private static WorkCompletion one(List<WorkCompletion> all) {
      assertEquals(1, all.size(), () -> "completions: " + all);
      return all.getFirst();
    }

    public HcaSnapshot.Qp qpSnapshot() {
      return hca.inspect().queuePairs().stream().filter(one -> one.number() == qp.qpNum()).findFirst().orElseThrow();
    }

    public HcaSnapshot.Counters counters() {
      return hca.inspect().counters();
    }

    public List<AsyncEvent> events() {
      List<AsyncEvent> all = new ArrayList<>();
      for (AsyncEvent event = hca.pollAsyncEvent(); event != null; event = hca.pollAsyncEvent()) {
        all.add(event);
      }
      return all;
    }

    public void send(WorkRequest request) {
      qp.postSend(request);
    }

    public void post(long wrId, long offset, int length) {
      qp.postReceive(rr.receive(wrId).sge(mr, offset, length));
    }

    public static List<WorkCompletion> drain(CompletionQueue cq) {
      List<WorkCompletion> all = new ArrayList<>();
      WorkCompletion wc = new WorkCompletion();
      while (cq.poll(wc)) {
        all.add(wc);
        wc = new WorkCompletion();
      }
      return all;
    }
  }

  /** Sizes of the queues. */
  public record QpShape(int depth, int cqe, boolean sigAll) {
    public static final QpShape DEFAULT = new QpShape(64, 256, false);
  }

  public Pair() {
    this(1, LinkFaults.NONE, QpShape.DEFAULT, Access.ALL);
  }

  public Pair(long seed, LinkFaults faults, QpShape shape, int access) {
    this(seed, faults, shape, access, ConfigFactory.empty());
  }

  public Pair(long seed, LinkFaults faults, QpShape shape, int access, Config overrides) {
    fabric = new VirtualFabric(seed, new LinkProfile(1_000, 10_000_000_000L), faults, overrides);
    a = new Side(fabric.addNode("a"), shape, access, arena);
    b = new Side(fabric.addNode("b"), shape, access, arena);
  }

  /** A connected pair. */
  public static Pair connected() {
    return new Pair().connect(attr -> {});
  }

  public static Pair connected(long seed, LinkFaults faults) {
    return new Pair(seed, faults, QpShape.DEFAULT, Access.ALL).connect(attr -> {});
  }

  public static Pair of(QpShape shape) {
    return new Pair(1, LinkFaults.NONE, shape, Access.ALL);
  }

  public static Pair of(int access) {
    return new Pair(1, LinkFaults.NONE, QpShape.DEFAULT, access);
  }

  /** With settings over reference.conf. */
  public static Pair with(String overrides) {
    return new Pair(1, LinkFaults.NONE, QpShape.DEFAULT, Access.ALL, ConfigFactory.parseString(overrides));
  }

  /** Takes both from any state back to RTS. */
  public void reconnect() {
    a.qp.modify(new QpAttr().state(QpState.RESET));
    b.qp.modify(new QpAttr().state(QpState.RESET));
    connect(attr -> {});
  }

  /** Connects with first PSNs, and attributes of the steps to INIT, RTR and RTS, of the caller's choice. */
  public Pair connect(int aPsn, int bPsn, UnaryOperator<QpAttr> init, UnaryOperator<QpAttr> rtr, UnaryOperator<QpAttr> rts) {
    a.qp.modify(init.apply(QpAttr.init(Access.ALL)));
    b.qp.modify(init.apply(QpAttr.init(Access.ALL)));
    a.qp.modify(rtr.apply(QpAttr.rtr().destLid(b.hca.lid()).destQpNum(b.qp.qpNum()).rqPsn(bPsn).pathMtu(MTU)));
    b.qp.modify(rtr.apply(QpAttr.rtr().destLid(a.hca.lid()).destQpNum(a.qp.qpNum()).rqPsn(aPsn).pathMtu(MTU)));
    a.qp.modify(rts.apply(QpAttr.rts(aPsn).timeout(TIMEOUT)));
    b.qp.modify(rts.apply(QpAttr.rts(bPsn).timeout(TIMEOUT)));
    return this;
  }

  /** Asserts that {@code length} bytes of a's buffer are b's. */
  public void assertSame(long offsetA, long offsetB, long length) {
    assertEquals(-1, a.memory.asSlice(offsetA, length).mismatch(b.memory.asSlice(offsetB, length)), "first different byte");
  }

  /** Hands a packet to {@code to} as if it had come from {@code from}'s queue pair. */
  public void forge(Side from, Side to, int opcode, int psn, int syndrome, Payload payload) {
    forge(from, to, opcode, psn, 0, 0, 0, syndrome, payload);
  }

  public void forge(Side from, Side to, int opcode, int psn, long va, int rkey, int dmaLength, int syndrome, Payload payload) {
    to.hca.actor().tell(new Packet(opcode, from.hca.lid(), to.hca.lid(), 0, false, true, Packet.DEFAULT_PKEY, to.qp.qpNum(), psn,
        va, rkey, dmaLength, syndrome, 0, 0, 0, 0, payload));
  }

  /** Runs until {@code condition}; fails after ten virtual seconds. */
  public void runUntil(BooleanSupplier condition) {
    assertTrue(fabric.system().runUntil(condition, 10 * SECOND), "condition not reached within ten virtual seconds");
  }

  /** Takes both queue pairs to RTS; {@code tune} may change the attributes of the last step. */
  public Pair connect(java.util.function.Consumer<QpAttr> tune) {
    toRtr(a, b, 100, 200);
    toRtr(b, a, 200, 100);
    toRts(a, 100, tune);
    toRts(b, 200, tune);
    return this;
  }

  private static void toRtr(Side own, Side peer, int sqPsn, int rqPsn) {
    own.qp.modify(QpAttr.init(Access.ALL));
    own.qp.modify(QpAttr.rtr().destLid(peer.hca.lid()).destQpNum(peer.qp.qpNum()).rqPsn(rqPsn).pathMtu(MTU));
  }

  private static void toRts(Side own, int sqPsn, java.util.function.Consumer<QpAttr> tune) {
    QpAttr attr = QpAttr.rts(sqPsn).timeout(TIMEOUT);
    tune.accept(attr);
    own.qp.modify(attr);
  }

  /** Runs until nothing moves any more, at most ten virtual seconds. */
  public void run() {
    fabric.system().runFor(10 * SECOND);
  }

  @Override
  public void close() {
    fabric.close();
    arena.close(); // What is left to the collector may be too much at times.
  }
}
