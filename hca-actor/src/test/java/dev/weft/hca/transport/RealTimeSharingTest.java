package dev.weft.hca.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.typesafe.config.ConfigFactory;
import dev.weft.hca.node.LocalFabric;
import dev.weft.hca.node.Node;
import dev.weft.hca.verbs.Access;
import dev.weft.hca.verbs.CompletionCounter;
import dev.weft.hca.verbs.CompletionCounter.Operation;
import dev.weft.hca.verbs.CompletionQueue;
import dev.weft.hca.verbs.MemoryRegion;
import dev.weft.hca.verbs.MemoryWindow;
import dev.weft.hca.verbs.MwBind;
import dev.weft.hca.verbs.ProtectionDomain;
import dev.weft.hca.verbs.QpAttr;
import dev.weft.hca.verbs.QpInitAttr;
import dev.weft.hca.verbs.QueuePair;
import dev.weft.hca.verbs.ReceiveContext;
import dev.weft.hca.verbs.ReceiveRequest;
import dev.weft.hca.verbs.SharedReceiveQueue;
import dev.weft.hca.verbs.SrqAttr;
import dev.weft.hca.verbs.VerbsException;
import dev.weft.hca.verbs.VerbsException.Errno;
import dev.weft.hca.verbs.WcOpcode;
import dev.weft.hca.verbs.WorkCompletion;
import dev.weft.hca.verbs.WorkRequest;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Shared receive queues, resizing and memory windows with real threads. Over {@link LocalFabric}. */
@Tag("actor")
@Timeout(180)
class RealTimeSharingTest {
  private static final long DEADLINE_NS = TimeUnit.SECONDS.toNanos(90);

  private final LocalFabric fabric = LocalFabric.start(ConfigFactory.parseString("weft.hca.pin-memory = false"));
  private final Node a = fabric.addNode("a");
  private final Node b = fabric.addNode("b");
  private final ProtectionDomain pdA = a.hca().allocPd();
  private final ProtectionDomain pdB = b.hca().allocPd();
  private final MemorySegment memory = Arena.ofAuto().allocate(1 << 16, 64);
  private final MemoryRegion mrA = a.hca().regMr(pdA, memory, Access.ALL);
  private final MemoryRegion mrB = b.hca().regMr(pdB, Arena.ofAuto().allocate(1 << 16, 64), Access.LOCAL_WRITE | Access.MW_BIND);
  private final CompletionQueue cqA = a.hca().createCq(1 << 14, ReceiveContext.POLLING, null);
  private final CompletionQueue cqB = b.hca().createCq(1 << 14, ReceiveContext.POLLING, null);

  @AfterEach
  void close() {
    fabric.close();
  }

  /** A queue pair of a, connected to a new one of b; RNR waits of 655 ms, so that a wake-up that is missed shows. */
  private QueuePair[] connection(QpInitAttr attrB) {
    QueuePair one = a.hca().createQp(pdA, QpInitAttr.of(cqA, 64));
    QueuePair other = b.hca().createQp(pdB, attrB);
    one.modify(QpAttr.init(Access.ALL));
    other.modify(QpAttr.init(Access.ALL));
    one.modify(QpAttr.rtr().destLid(b.hca().lid()).destQpNum(other.qpNum()).rqPsn(8).pathMtu(4096).minRnrTimer(0));
    other.modify(QpAttr.rtr().destLid(a.hca().lid()).destQpNum(one.qpNum()).rqPsn(7).pathMtu(4096).minRnrTimer(0));
    one.modify(QpAttr.rts(7));
    other.modify(QpAttr.rts(8));
    return new QueuePair[] {one, other};
  }

  private static void until(BooleanSupplier condition) {
    long startNs = System.nanoTime();
    while (!condition.getAsBoolean()) {
      assertTrue(System.nanoTime() - startNs < DEADLINE_NS, "condition not reached in time");
      Thread.yield();
    }
  }

  private static WorkCompletion next(CompletionQueue cq) {
    WorkCompletion wc = new WorkCompletion();
    until(() -> cq.poll(wc));
    assertTrue(wc.isSuccess(), wc::toString);
    return wc;
  }

  @Test
  void shouldNeverMissThePostThatEndsAWaitForASharedReceive() {
    int each = 1500;
    SharedReceiveQueue srq = b.hca().createSrq(pdB, new SrqAttr(8, 1, 0));
    List<QueuePair> senders = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      senders.add(connection(QpInitAttr.of(cqB, 1).withSrq(srq))[0]);
    }
    int all = each * senders.size();
    AtomicBoolean stop = new AtomicBoolean();
    for (int t = 0; t < 2; t++) {
      Thread.ofPlatform().daemon().start(() -> {
        ReceiveRequest rr = new ReceiveRequest();
        while (!stop.get()) {
          try {
            srq.postReceive(rr.receive(1).sge(mrB, 0, 64));
          } catch (VerbsException full) {
            assertEquals(Errno.ENOMEM, full.errno());
            Thread.yield();
          }
        }
      });
    }
    WorkRequest wr = new WorkRequest();
    int[] posted = new int[senders.size()];
    WorkCompletion wc = new WorkCompletion();
    int received = 0;
    long startNs = System.nanoTime();
    while (received < all) {
      for (int i = 0; i < posted.length; i++) {
        if (posted[i] < each && senders.get(i).sendSlotsTaken() < 32) {
          senders.get(i).postSend(wr.send().sge(mrA, 0, 64).signaled());
          posted[i]++;
        }
      }
      while (cqB.poll(wc)) {
        assertTrue(wc.isSuccess(), wc::toString);
        received++;
      }
      while (cqA.poll(wc)) {
        assertTrue(wc.isSuccess(), wc::toString);
      }
      assertTrue(System.nanoTime() - startNs < DEADLINE_NS, "only " + received + " of " + all);
    }
    stop.set(true);
    until(() -> senders.stream().allMatch(qp -> qp.sendQueueSize() == 0));
  }

  @Test
  void shouldLoseNothingWhileAQueueIsResized() {
    CompletionQueue cq = b.hca().createCq(4096, ReceiveContext.POLLING, null);
    QueuePair[] qps = connection(QpInitAttr.of(cq, 64));
    int count = 4000;
    Thread sender = Thread.ofPlatform().daemon().start(() -> {
      WorkRequest wr = new WorkRequest();
      ReceiveRequest rr = new ReceiveRequest();
      WorkCompletion wc = new WorkCompletion();
      for (int i = 0; i < count; ) {
        if (qps[1].receiveSlotsTaken() < 64 && qps[0].sendSlotsTaken() < 64) {
          qps[1].postReceive(rr.receive(i++).sge(mrB, 0, 8));
          qps[0].postSend(wr.send().sge(mrA, 0, 8).signaled());
        } else if (!cqA.poll(wc)) {
          Thread.yield();
        }
      }
    });
    Thread resizer = Thread.ofPlatform().daemon().start(() -> {
      for (int i = 0; sender.isAlive(); i++) {
        cq.resize(4096 + i % 3 * 4096);
      }
    });
    for (long i = 0; i < count; i++) {
      assertEquals(i, next(cq).wrId());
    }
    until(() -> !resizer.isAlive());
    assertFalse(cq.isOverrun());
  }

  @Test
  void shouldLendAndTakeBackAWindowAgainAndAgain() {
    QueuePair[] qps = connection(QpInitAttr.of(cqB, 8));
    MemoryWindow window = b.hca().allocMw(pdB, MemoryWindow.Type.TYPE_2);
    WorkRequest wr = new WorkRequest();
    ReceiveRequest rr = new ReceiveRequest();
    for (int i = 0; i < 300; i++) {
      int key = window.nextRkey();
      qps[1].postReceive(rr.receive(i).sge(mrB, 0, 64));
      qps[1].postSend(wr.bindMw(new MwBind(window, key, mrB, mrB.addr() + 128, 512, Access.REMOTE_WRITE)).signaled());
      assertEquals(WcOpcode.BIND_MW, next(cqB).opcode());
      qps[0].postSend(wr.write(mrB.addr() + 128, key).sge(mrA, 0, 512));
      qps[0].postSend(wr.sendWithInvalidate(key).sge(mrA, 0, 8).signaled());
      assertEquals(key, next(cqB).invalidatedRkey());
      assertFalse(window.isBound());
      next(cqA);
    }
    b.hca().deallocMw(window);
    b.hca().deregMr(mrB);
  }

  @Test
  void shouldShowTheBytesOfWhatARemoteCounterHasCounted() {
    QueuePair one = a.hca().createQp(pdA, QpInitAttr.of(cqA, 64));
    QueuePair other = b.hca().createQp(pdB, QpInitAttr.of(cqB, 64));
    CompletionCounter writes = b.hca().createCounter();
    b.hca().attachCounter(other, writes, EnumSet.of(Operation.REMOTE_RDMA_WRITE));
    MemorySegment target = Arena.ofAuto().allocate(1 << 16, 64);
    MemoryRegion mr = b.hca().regMr(pdB, target, Access.ALL);
    for (QueuePair qp : List.of(one, other)) {
      qp.modify(QpAttr.init(Access.ALL));
      qp.modify(QpAttr.rtr().destLid(qp == one ? b.hca().lid() : a.hca().lid())
          .destQpNum((qp == one ? other : one).qpNum()).rqPsn(1).pathMtu(4096));
      qp.modify(QpAttr.rts(1));
    }
    WorkRequest wr = new WorkRequest();
    for (int i = 1; i <= 500; i++) {
      int round = i;
      memory.asSlice(0, 10_000).fill((byte) i);
      one.postSend(wr.write(mr.addr(), mr.rkey()).sge(mrA, 0, 10_000).signaled());
      until(() -> writes.count() == round);
      assertEquals(-1, target.asSlice(0, 10_000).mismatch(memory.asSlice(0, 10_000)));
      next(cqA);
    }
  }
}
