package dev.weft.hca.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.typesafe.config.ConfigFactory;
import dev.weft.fabric.rules.OwnThread;
import dev.weft.fabric.rules.PauseMeter;
import dev.weft.hca.node.LocalFabric;
import dev.weft.hca.node.Node;
import dev.weft.hca.verbs.Access;
import dev.weft.hca.verbs.CompletionQueue;
import dev.weft.hca.verbs.Hca;
import dev.weft.hca.verbs.HcaSnapshot;
import dev.weft.hca.verbs.MemoryRegion;
import dev.weft.hca.verbs.ProtectionDomain;
import dev.weft.hca.verbs.QpAttr;
import dev.weft.hca.verbs.QpInitAttr;
import dev.weft.hca.verbs.QpState;
import dev.weft.hca.verbs.QueuePair;
import dev.weft.hca.verbs.ReceiveContext;
import dev.weft.hca.verbs.ReceiveRequest;
import dev.weft.hca.verbs.SendFlags;
import dev.weft.hca.verbs.VerbsException;
import dev.weft.hca.verbs.VerbsException.Errno;
import dev.weft.hca.verbs.WorkCompletion;
import dev.weft.hca.verbs.WorkRequest;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What only real threads can break: doorbells, posted receives, notifications, atomics. Over {@link LocalFabric}. */
@Tag("slow")
@Tag("actor")
@Timeout(180)
class RealTimeTest {
  private static final long DEADLINE_NS = TimeUnit.SECONDS.toNanos(90);

  private final LocalFabric fabric = LocalFabric.start(ConfigFactory.parseString("weft.hca.pin-memory = false"));
  private final End a = new End(fabric.addNode("a"));
  private final End b = new End(fabric.addNode("b"));

  /** A node with a domain and memory. */
  private static final class End {
    final Hca hca;
    final ProtectionDomain pd;
    final MemorySegment memory = Arena.ofAuto().allocate(1 << 16, 64);
    final MemoryRegion mr;

    End(Node node) {
      hca = node.hca();
      pd = hca.allocPd();
      mr = hca.regMr(pd, memory, Access.ALL);
    }

    CompletionQueue pollingCq() {
      return hca.createCq(1 << 14, ReceiveContext.POLLING, null);
    }

    QueuePair qp(CompletionQueue cq, int depth) {
      return hca.createQp(pd, QpInitAttr.of(cq, depth));
    }
  }

  @AfterEach
  void close() {
    fabric.close();
  }

  private static void connect(QueuePair one, QueuePair other, int minRnrTimer) {
    one.modify(QpAttr.init(Access.ALL));
    other.modify(QpAttr.init(Access.ALL));
    one.modify(QpAttr.rtr().destLid(other.hca().lid()).destQpNum(other.qpNum()).rqPsn(8).pathMtu(4096).minRnrTimer(minRnrTimer));
    other.modify(QpAttr.rtr().destLid(one.hca().lid()).destQpNum(one.qpNum()).rqPsn(7).pathMtu(4096).minRnrTimer(minRnrTimer));
    one.modify(QpAttr.rts(7));
    other.modify(QpAttr.rts(8));
  }

  /** Polls until {@code count} successful completions have come. */
  private static void await(CompletionQueue cq, int count) {
    WorkCompletion wc = new WorkCompletion();
    long startNs = System.nanoTime();
    for (int done = 0; done < count; ) {
      if (cq.poll(wc)) {
        assertTrue(wc.isSuccess(), wc::toString);
        done++;
      } else {
        assertTrue(System.nanoTime() - startNs < DEADLINE_NS, "only " + done + " of " + count + " completions");
        Thread.yield();
      }
    }
  }

  private static void post(QueuePair qp, WorkRequest wr) {
    while (true) {
      try {
        qp.postSend(wr);
        return;
      } catch (VerbsException full) {
        assertEquals(Errno.ENOMEM, full.errno());
        Thread.yield();
      }
    }
  }

  @Test
  void shouldServeSeveralThreadsThatPostToOneQueue() {
    CompletionQueue cq = a.pollingCq();
    QueuePair qp = a.qp(cq, 64);
    connect(qp, b.qp(b.pollingCq(), 1), 12);
    int threads = 3;
    int each = 4000;
    for (int t = 0; t < threads; t++) {
      int me = t;
      Thread.ofPlatform().daemon().start(() -> {
        WorkRequest wr = new WorkRequest();
        for (int i = 0; i < each; i++) {
          post(qp, wr.fetchAndAdd(b.mr.addr() + 8L * me, b.mr.rkey(), 1).sge(a.mr, 64L * me, 8).wrId(i).signaled());
        }
      });
    }
    await(cq, threads * each);
    for (int t = 0; t < threads; t++) {
      assertEquals(each, b.memory.get(ValueLayout.JAVA_LONG, 8L * t));
    }
    assertEquals(0, qp.sendQueueSize());
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2})
  void shouldNeverMissTheReceiveThatEndsAnRnrWait(long seed) {
    PauseMeter pauses = new PauseMeter();
    CompletionQueue cqA = a.pollingCq();
    CompletionQueue cqB = b.pollingCq();
    QueuePair qpA = a.qp(cqA, 16);
    QueuePair qpB = b.qp(cqB, 16);
    connect(qpA, qpB, 0);
    int count = 3000;
    Thread.ofPlatform().daemon().start(() -> {
      SplittableRandom random = new SplittableRandom(seed);
      ReceiveRequest rr = new ReceiveRequest();
      for (int i = 0; i < count; ) {
        if (qpB.receiveSlotsTaken() < 16) {
          qpB.postReceive(rr.receive(i++).sge(b.mr, 0, 64));
        }
        if (random.nextInt(3) == 0) {
          LockSupport.parkNanos(random.nextInt(50_000));
        }
      }
    });
    Thread.ofPlatform().daemon().start(() -> {
      WorkRequest wr = new WorkRequest();
      for (int i = 0; i < count; i++) {
        post(qpA, wr.send().sge(a.mr, 0, 64).signaled());
      }
    });
    CompletableFuture<Void> sent = CompletableFuture.runAsync(() -> await(cqA, count), OwnThread::run);
    await(cqB, count);
    sent.join();
    HcaSnapshot.Counters counters = a.hca.inspect().counters();
    assertTrue(counters.rnrNaksReceived() > 0, "seed " + seed + ": the receiver was never late");
    long pausedNs = pauses.pausedNs();
    pauses.close();
    assertTrue(counters.rnrTimeouts() == 0 || pausedNs > TransportTimer.rnrNs(0) / 2, "seed " + seed + ": waited " + TransportTimer.rnrNs(0)
        + " ns for the timer");
  }

  @Test
  void shouldUpdateAWordAtomicallyFromTwoQueuePairsAndALocalThread() throws InterruptedException {
    VarHandle word = ValueLayout.JAVA_LONG.varHandle();
    int each = 5000;
    List<CompletionQueue> cqs = new ArrayList<>();
    Thread local = Thread.ofPlatform().daemon().start(() -> {
      for (int i = 0; i < 20 * each; i++) {
        word.getAndAdd(b.memory, 0L, 1L);
      }
    });
    for (int q = 0; q < 2; q++) {
      CompletionQueue cq = a.pollingCq();
      cqs.add(cq);
      QueuePair qp = a.qp(cq, 64);
      connect(qp, b.qp(b.pollingCq(), 1), 12);
      Thread.ofPlatform().daemon().start(() -> {
        WorkRequest wr = new WorkRequest();
        for (int i = 0; i < each; i++) {
          post(qp, wr.fetchAndAdd(b.mr.addr(), b.mr.rkey(), 1).sge(a.mr, 0, 8).signaled());
        }
      });
    }
    await(cqs.get(0), each);
    await(cqs.get(1), each);
    local.join(20_000);
    assertEquals(22L * each, (long) word.getVolatile(b.memory, 0L));
  }

  @ParameterizedTest
  @EnumSource(value = ReceiveContext.class, names = {"ISR", "TASK_QUEUE", "PROCESS"})
  void shouldWakeAConsumerThatSleepsBetweenCompletions(ReceiveContext context) throws InterruptedException {
    Semaphore wake = new Semaphore(0);
    CompletionQueue cqB = b.hca.createCq(256, context, cq -> wake.release());
    QueuePair qpB = b.qp(cqB, 64);
    CompletionQueue cqA = a.pollingCq();
    QueuePair qpA = a.qp(cqA, 16);
    connect(qpA, qpB, 1);
    int count = 2000;
    ReceiveRequest rr = new ReceiveRequest();
    for (int i = 0; i < 64; i++) {
      qpB.postReceive(rr.receive(i).sge(b.mr, 0, 64));
    }
    Thread.ofPlatform().daemon().start(() -> {
      WorkRequest wr = new WorkRequest();
      SplittableRandom random = new SplittableRandom(4);
      for (int i = 0; i < count; i++) {
        post(qpA, wr.send().sge(a.mr, 0, 64).flags(i % 8 == 7 ? SendFlags.SIGNALED : 0));
        if (i % 16 == 15) {
          await(cqA, 2);
        }
        if (random.nextInt(8) == 0) {
          LockSupport.parkNanos(20_000);
        }
      }
    });
    WorkCompletion wc = new WorkCompletion();
    for (int got = 0; got < count; ) {
      if (cqB.arm(false) == CompletionQueue.Armed.ARMED) {
        assertTrue(wake.tryAcquire(90, TimeUnit.SECONDS), context + ": lost wake-up after " + got);
      }
      while (cqB.poll(wc)) {
        assertTrue(wc.isSuccess(), wc::toString);
        qpB.postReceive(rr.receive(got++).sge(b.mr, 0, 64));
      }
    }
  }

  @Test
  void shouldFlushEverythingThatRacesWithAFailure() throws InterruptedException {
    for (int round = 0; round < 50; round++) {
      CompletionQueue cq = a.hca.createCq(1 << 12, ReceiveContext.POLLING, null);
      QueuePair qp = a.qp(cq, 64);
      QueuePair peer = b.qp(b.pollingCq(), 64);
      connect(qp, peer, 12);
      CountDownLatch half = new CountDownLatch(100);
      CompletableFuture<int[]> posted = CompletableFuture.supplyAsync(() -> {
        WorkRequest wr = new WorkRequest();
        ReceiveRequest rr = new ReceiveRequest();
        int[] counts = new int[2];
        for (int i = 0; i < 400; i++) {
          half.countDown();
          post(qp, wr.write(b.mr.addr(), b.mr.rkey()).sge(a.mr, 0, 64).signaled());
          counts[0]++;
          if (i % 8 == 0 && qp.receiveSlotsTaken() < 64) {
            qp.postReceive(rr.receive(i));
            counts[1]++;
          }
        }
        return counts;
      }, OwnThread::run);
      WorkCompletion wc = new WorkCompletion();
      int done = 0;
      boolean failed = false;
      long startNs = System.nanoTime();
      while (!posted.isDone() || done < posted.join()[0] + posted.join()[1]) {
        if (cq.poll(wc)) {
          done++;
        } else {
          assertTrue(System.nanoTime() - startNs < DEADLINE_NS, "round " + round + ": " + done + ", " + posted);
          Thread.yield();
        }
        if (!failed && half.getCount() == 0) {
          failed = true;
          qp.modify(new QpAttr().state(QpState.ERR));
        }
      }
      assertFalse(cq.poll(wc));
      a.hca.destroyQp(qp);
      b.hca.destroyQp(peer);
      a.hca.destroyCq(cq);
    }
  }
}
