package dev.weft.bench;

import com.typesafe.config.ConfigFactory;
import dev.weft.hca.node.LocalFabric;
import dev.weft.hca.verbs.Access;
import dev.weft.hca.verbs.CompletionQueue;
import dev.weft.hca.verbs.Hca;
import dev.weft.hca.verbs.MemoryRegion;
import dev.weft.hca.verbs.ProtectionDomain;
import dev.weft.hca.verbs.QpAttr;
import dev.weft.hca.verbs.QpInitAttr;
import dev.weft.hca.verbs.QueuePair;
import dev.weft.hca.verbs.ReceiveContext;
import dev.weft.hca.verbs.WorkCompletion;
import dev.weft.hca.verbs.WorkRequest;
import java.lang.foreign.Arena;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** Verbs between two nodes of one JVM, posted by an application thread that polls: post, switch hop, target, acknowledgement. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class VerbsBenchmark {
  private static final int MTU = 4096;
  private static final long PATIENCE_NS = TimeUnit.SECONDS.toNanos(10);

  private final WorkCompletion completion = new WorkCompletion();
  private Arena arena;
  private LocalFabric fabric;
  private CompletionQueue cq;
  private QueuePair qp;
  private MemoryRegion near;
  private MemoryRegion far;

  @Setup
  public void connect() {
    arena = Arena.ofShared();
    fabric = LocalFabric.start(ConfigFactory.parseString("weft.hca.pin-memory = false"));
    Hca a = fabric.addNode("near").hca();
    Hca b = fabric.addNode("far").hca();
    ProtectionDomain nearPd = a.allocPd();
    ProtectionDomain farPd = b.allocPd();
    near = a.regMr(nearPd, arena.allocate(MTU, MTU), Access.ALL);
    far = b.regMr(farPd, arena.allocate(MTU, MTU), Access.ALL);
    cq = a.createCq(64, ReceiveContext.POLLING, null);
    qp = a.createQp(nearPd, QpInitAttr.of(cq, 16));
    QueuePair peer = b.createQp(farPd, QpInitAttr.of(b.createCq(64, ReceiveContext.POLLING, null), 16));
    qp.modify(QpAttr.init(Access.ALL));
    peer.modify(QpAttr.init(Access.ALL));
    qp.modify(QpAttr.rtr().destLid(b.lid()).destQpNum(peer.qpNum()).rqPsn(8).pathMtu(MTU));
    peer.modify(QpAttr.rtr().destLid(a.lid()).destQpNum(qp.qpNum()).rqPsn(7).pathMtu(MTU));
    qp.modify(QpAttr.rts(7));
    peer.modify(QpAttr.rts(8));
  }

  @TearDown
  public void close() {
    fabric.close();
    arena.close();
  }

  @Benchmark
  public long write8() {
    return run(new WorkRequest().write(far.addr(), far.rkey()).sge(near, 0, 8).signaled());
  }

  @Benchmark
  public long read4096() {
    return run(new WorkRequest().read(far.addr(), far.rkey()).sge(near, 0, MTU).signaled());
  }

  private long run(WorkRequest request) {
    qp.postSend(request);
    long beganNs = System.nanoTime();
    while (!cq.poll(completion)) {
      Thread.onSpinWait();
      if (System.nanoTime() - beganNs > PATIENCE_NS) {
        throw new IllegalStateException("no completion within 10 s");
      }
    }
    if (!completion.isSuccess()) {
      throw new IllegalStateException(completion.toString());
    }
    return completion.wrId();
  }
}
