package dev.weft.hca.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.typesafe.config.ConfigFactory;
import dev.weft.hca.cm.ConnectionOptions;
import dev.weft.hca.cm.RejectReason;
import dev.weft.hca.verbs.Access;
import dev.weft.hca.verbs.AsyncEvent;
import dev.weft.hca.verbs.CompletionQueue;
import dev.weft.hca.verbs.MemoryRegion;
import dev.weft.hca.verbs.ReceiveContext;
import dev.weft.hca.verbs.VerbsException;
import dev.weft.hca.verbs.WcStatus;
import dev.weft.hca.verbs.WorkCompletion;
import dev.weft.hca.verbs.WorkRequest;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A fabric, or one of its nodes, is closed with work outstanding, in real time. */
@Tag("slow")
@Tag("actor")
@Timeout(180)
class CloseTest {
  private static final int SETTLED = FabricBed.SENDS + FabricBed.RECEIVES;
  /** The completion queue holds more. */
  private static final int UNPOLLED_MAX = 40;

  private final LocalFabric fabric = LocalFabric.start(ConfigFactory.parseString("weft.hca.pin-memory = false"));
  private final Node nodeA = fabric.addNode("a");
  private final Node nodeB = fabric.addNode("b");

  @AfterEach
  void close() {
    fabric.close();
  }

  @Test
  void shouldLetANodeBeClosedAgain() {
    fabric.closeNode("a");
    fabric.closeNode("a");
    assertThrows(IllegalArgumentException.class, () -> fabric.closeNode("never"));
    fabric.addNode("a");
    fabric.close();
    fabric.closeNode("a");
    fabric.closeNode("b");
  }

  @Test
  void shouldFlushWhatIsOutstandingAndRefuseWhatComesLater() {
    FabricBed a = new FabricBed(nodeA);
    FabricBed b = new FabricBed(nodeB);
    a.connect(b);
    a.postAll();
    fabric.close();
    a.assertFlushed();
    assertEquals(List.of(), b.drain());
    a.assertRefusesAllButTheEnd();
    fabric.close();
    assertThrows(IllegalStateException.class, () -> fabric.addNode("c"));
  }

  @ParameterizedTest
  @EnumSource(value = ReceiveContext.class, names = {"ISR", "TASK_QUEUE", "PROCESS"})
  void shouldWakeWhoWaitsForACompletionThatWillNotCome(ReceiveContext context) throws Exception {
    CountDownLatch woken = new CountDownLatch(1);
    FabricBed a = new FabricBed(nodeA, context, cq -> woken.countDown());
    assertEquals(CompletionQueue.Armed.ARMED, a.cq.arm(false));
    fabric.close();
    woken.await();
    FabricBed.assertRefused(() -> a.cq.arm(false));
    assertFalse(a.cq.poll(new WorkCompletion()));
  }

  @Test
  void shouldWakeWhoAwaitsSomethingOfTheFabric() throws Exception {
    CompletableFuture<Throwable> outcome = new CompletableFuture<>();
    CountDownLatch asked = new CountDownLatch(1);
    Thread.ofPlatform().daemon().start(() -> {
      try {
        fabric.await(() -> {
          asked.countDown();
          return false;
        }, Duration.ofHours(1));
        outcome.complete(null);
      } catch (IllegalStateException closed) {
        outcome.complete(closed);
      }
    });
    asked.await();
    fabric.close();
    assertTrue(outcome.get().getMessage().contains("the fabric is closed"), () -> outcome.join().toString());
  }

  @Test
  void shouldWakeWhoWaitsForAnEvent() throws Exception {
    CountDownLatch woken = new CountDownLatch(1);
    while (nodeA.hca().pollAsyncEvent() != null) {
      Thread.onSpinWait();
    }
    nodeA.hca().armAsyncEvents(woken::countDown);
    fabric.close();
    woken.await();
    assertEquals(AsyncEvent.Type.DEVICE_FATAL, nodeA.hca().pollAsyncEvent().type());
  }

  @Test
  void shouldEndConnectionsThatAreMadeAndThatAreBeingMade() throws Exception {
    FabricBed a = new FabricBed(nodeA);
    FabricBed b = new FabricBed(nodeB);
    Said atA = new Said();
    Said atB = new Said();
    Said.connect(a, atA, b, atB);
    CountDownLatch asked = new CountDownLatch(1);
    nodeB.cm().listen("silent", request -> asked.countDown());
    FabricBed other = new FabricBed(nodeA);
    Said silent = new Said();
    nodeA.cm().connect("b", "silent", other.qp, ConnectionOptions.DEFAULT, null, silent);
    asked.await();
    fabric.close();
    assertEquals(false, atA.disconnected.get());
    assertEquals(false, atB.disconnected.get());
    assertTrue(List.of(RejectReason.CLOSED, RejectReason.UNKNOWN_NODE).contains(silent.rejected.get()), "whichever node was first");
  }

  @Test
  void shouldRefuseAVerbThatWaitsForTheHardwareThread() throws Exception {
    CompletableFuture<Throwable> outcome = new CompletableFuture<>();
    Thread caller = Thread.ofPlatform().daemon().unstarted(() -> {
      try {
        nodeA.hca().allocPd();
        outcome.complete(null);
      } catch (VerbsException refused) {
        outcome.complete(refused);
      }
    });
    nodeA.hca().later(() -> {
      caller.start();
      while (caller.getState() != Thread.State.TIMED_WAITING) {
        Thread.onSpinWait();
      }
      fabric.close();
      return null;
    });
    assertEquals(VerbsException.Errno.ENODEV, ((VerbsException) outcome.get()).errno());
    fabric.system().getWhenTerminated().toCompletableFuture().get();
    CompletionException late = assertThrows(CompletionException.class, () -> nodeA.hca().later(() -> 1).toCompletableFuture().join());
    assertEquals(VerbsException.Errno.ENODEV, ((VerbsException) late.getCause()).errno());
  }

  @ParameterizedTest
  @EnumSource(value = ReceiveContext.class, names = {"ISR", "TASK_QUEUE", "PROCESS"})
  void shouldCloseFromAHandler(ReceiveContext context) throws Exception {
    CountDownLatch done = new CountDownLatch(1);
    FabricBed a = new FabricBed(nodeA, context, cq -> {
      fabric.close();
      done.countDown();
    });
    FabricBed b = new FabricBed(nodeB);
    a.connect(b);
    a.cq.arm(false);
    a.qp.postSend(new WorkRequest().write(b.mr.addr(), b.mr.rkey()).sge(a.mr, 0, 8).signaled());
    done.await();
    fabric.system().getWhenTerminated().toCompletableFuture().get(90, TimeUnit.SECONDS);
    assertTrue(nodeA.hca().isClosed() && nodeB.hca().isClosed());
  }

  /** Every request that was accepted is completed, once, whenever it came. */
  @Test
  void shouldCloseWhileOthersPostPollAndRegister() throws Exception {
    FabricBed a = new FabricBed(nodeA);
    FabricBed b = new FabricBed(nodeB);
    a.connect(b);
    AtomicInteger posted = new AtomicInteger();
    AtomicInteger completed = new AtomicInteger();
    List<CompletableFuture<VerbsException>> ends = new ArrayList<>();
    for (int t = 0; t < 2; t++) {
      ends.add(untilRefused(() -> {
        try {
          while (posted.get() - completed.get() > UNPOLLED_MAX && !nodeA.hca().isClosed()) {
            Thread.onSpinWait();
          }
          a.qp.postSend(new WorkRequest().write(b.mr.addr(), b.mr.rkey()).sge(a.mr, 0, 8).signaled());
          posted.incrementAndGet();
        } catch (VerbsException full) {
          if (full.errno() != VerbsException.Errno.ENOMEM) {
            throw full;
          }
        }
      }));
    }
    MemorySegment memory = Arena.ofAuto().allocate(4096);
    ends.add(untilRefused(() -> {
      MemoryRegion mr = nodeA.hca().regMr(a.pd, memory, Access.ALL);
      nodeA.hca().deregMr(mr);
    }));
    CountDownLatch some = new CountDownLatch(1000);
    CompletableFuture<Void> allIn = new CompletableFuture<>();
    Thread poller = Thread.ofPlatform().daemon().start(() -> {
      WorkCompletion wc = new WorkCompletion();
      while (true) {
        boolean over = allIn.isDone(); // Asked first: what was posted before that has been flushed.
        if (a.cq.poll(wc)) {
          completed.incrementAndGet();
          some.countDown();
        } else if (over) {
          return;
        }
      }
    });
    some.await();
    fabric.close();
    for (CompletableFuture<VerbsException> end : ends) {
      assertEquals(VerbsException.Errno.ENODEV, end.get().errno(), () -> end.join().getMessage());
    }
    allIn.complete(null);
    poller.join();
    assertEquals(posted.get(), completed.get());
  }

  private static CompletableFuture<VerbsException> untilRefused(Runnable action) {
    CompletableFuture<VerbsException> end = new CompletableFuture<>();
    Thread.ofPlatform().daemon().start(() -> {
      try {
        while (true) {
          action.run();
        }
      } catch (VerbsException refused) {
        end.complete(refused);
      }
    });
    return end;
  }

  @Test
  void shouldCloseOneNodeTellItsPeersAndGiveItsNameToAnother() throws Exception {
    FabricBed a = new FabricBed(nodeA);
    FabricBed b = new FabricBed(nodeB);
    Said atA = new Said();
    Said atB = new Said();
    Said.connect(a, atA, b, atB);
    b.postAll();
    a.qp.postSend(new WorkRequest().send().sge(a.mr, 0, 64).wrId(7).signaled());
    fabric.closeNode("b");
    assertEquals(SETTLED, b.drain().size());
    b.assertRefusesAllButTheEnd();
    assertEquals(false, atA.disconnected.get(), "a disconnect, not the loss of a node");
    WorkCompletion wc = new WorkCompletion();
    while (!a.cq.poll(wc)) {
      Thread.onSpinWait();
    }
    assertTrue(wc.status() == WcStatus.WR_FLUSH_ERR || wc.status() == WcStatus.SUCCESS, wc::toString);
    fabric.closeNode("b");
    FabricBed again = new FabricBed(fabric.addNode("b"));
    FabricBed from = new FabricBed(nodeA);
    from.connect(again);
    from.qp.postSend(new WorkRequest().write(again.mr.addr(), again.mr.rkey()).sge(from.mr, 0, 8).signaled());
    while (!from.cq.poll(wc)) {
      Thread.onSpinWait();
    }
    assertTrue(wc.isSuccess(), wc::toString);
  }

}
