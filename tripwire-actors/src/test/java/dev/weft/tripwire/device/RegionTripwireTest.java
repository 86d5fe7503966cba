package dev.weft.tripwire.device;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.weft.hca.verbs.Access;
import dev.weft.hca.verbs.CompletionQueue;
import dev.weft.hca.verbs.Hca;
import dev.weft.hca.verbs.MemoryRegion;
import dev.weft.hca.verbs.ProtectionDomain;
import dev.weft.hca.verbs.QpAttr;
import dev.weft.hca.verbs.QpInitAttr;
import dev.weft.hca.verbs.QueuePair;
import dev.weft.hca.verbs.ReceiveContext;
import dev.weft.hca.verbs.WorkRequest;
import dev.weft.tripwire.nic.Tripwire;
import dev.weft.tripwire.nic.Watch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tripwires on memory that is registered with the HCA. */
@Tag("simulation")
class RegionTripwireTest {
  private static final int MTU = 1024;

  private final VirtualPair pair = new VirtualPair(3);
  private MemoryRegion source;
  private MemoryRegion target;
  private QueuePair near;

  @BeforeEach
  void connect() {
    Hca from = pair.near.node().hca();
    Hca to = pair.far.node().hca();
    ProtectionDomain fromPd = from.allocPd();
    ProtectionDomain toPd = to.allocPd();
    source = from.regMr(fromPd, pair.memory(65_536), Access.ALL);
    target = to.regMr(toPd, pair.memory(65_536), 0x7000_0000L, Access.ALL);
    near = queuePair(from, fromPd);
    QueuePair far = queuePair(to, toPd);
    ready(near, to, far);
    ready(far, from, near);
  }

  private static QueuePair queuePair(Hca hca, ProtectionDomain pd) {
    CompletionQueue cq = hca.createCq(64, ReceiveContext.POLLING, null);
    return hca.createQp(pd, QpInitAttr.of(cq, 16));
  }

  private static void ready(QueuePair own, Hca peer, QueuePair peerQp) {
    own.modify(QpAttr.init(Access.ALL));
    own.modify(QpAttr.rtr().destLid(peer.lid()).destQpNum(peerQp.qpNum()).rqPsn(1).pathMtu(MTU));
    own.modify(QpAttr.rts(1));
  }

  @AfterEach
  void close() {
    pair.close();
  }

  private Tripwire wire(Watch watch, long offset, long length) {
    Tripwire wire = pair.far.tripwire().set(target, watch, offset, length, false);
    wire.arm();
    return wire;
  }

  private void write(long offset, int length) {
    near.postSend(new WorkRequest().write(target.addr() + offset, target.rkey()).sge(source, 0, length));
    pair.run();
  }

  @Test
  void shouldFireOnceForEachWriteThatTouchesItsRange() {
    Tripwire word = wire(Watch.WRITE, 3000, 4);
    Tripwire acrossMtu = wire(Watch.WRITE, 1000, 2000);
    Tripwire behind = wire(Watch.WRITE, 5000, 1);
    Tripwire reads = wire(Watch.READ, 0, 65_536);
    write(0, 5000);
    write(3003, 1);
    write(2999, 1);
    assertEquals(2, word.counted());
    assertEquals(2, acrossMtu.counted());
    assertEquals(0, behind.counted());
    assertEquals(0, reads.counted());
  }

  @Test
  void shouldFireForReadsOnlyWhatWatchesReads() {
    Tripwire reads = wire(Watch.READ, 2000, 100);
    Tripwire writes = wire(Watch.WRITE, 0, 65_536);
    near.postSend(new WorkRequest().read(target.addr(), target.rkey()).sge(source, 0, 4096));
    near.postSend(new WorkRequest().read(target.addr() + 2100, target.rkey()).sge(source, 0, 4096));
    pair.run();
    assertEquals(1, reads.counted());
    assertEquals(0, writes.counted());
  }

  @Test
  void shouldNotFireForAComparisonThatFails() {
    Tripwire writes = wire(Watch.WRITE, 8, 8);
    Tripwire reads = wire(Watch.READ, 8, 8);
    near.postSend(new WorkRequest().compareAndSwap(target.addr() + 8, target.rkey(), 99, 1).sge(source, 0, 8));
    pair.run();
    assertEquals(0, writes.counted());
    assertEquals(1, reads.counted());
    near.postSend(new WorkRequest().compareAndSwap(target.addr() + 8, target.rkey(), 0, 1).sge(source, 0, 8));
    near.postSend(new WorkRequest().fetchAndAdd(target.addr() + 8, target.rkey(), 1).sge(source, 0, 8));
    near.postSend(new WorkRequest().fetchAndAdd(target.addr() + 16, target.rkey(), 1).sge(source, 0, 8));
    pair.run();
    assertEquals(2, writes.counted());
    assertEquals(3, reads.counted());
  }

  @Test
  void shouldStopWatchingWithTheLastTripwire() {
    Tripwire first = wire(Watch.WRITE, 0, 8);
    Tripwire second = wire(Watch.WRITE, 0, 8);
    first.close();
    write(0, 8);
    assertEquals(1, second.counted());
    second.close();
    write(0, 8);
    Tripwire third = wire(Watch.WRITE, 0, 8);
    write(0, 8);
    assertEquals(1, third.counted());
  }
}
