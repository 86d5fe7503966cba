package dev.weft.hca.memory;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.fabric.link.LinkFaults;
import dev.weft.hca.netvm.NicPagesSnapshot;
import dev.weft.hca.verbs.Access;
import dev.weft.hca.verbs.CompletionQueue;
import dev.weft.hca.verbs.MrAdvice;
import dev.weft.hca.verbs.Pair;
import dev.weft.hca.verbs.QpAttr;
import dev.weft.hca.verbs.QpInitAttr;
import dev.weft.hca.verbs.QueuePair;
import dev.weft.hca.verbs.ReceiveContext;
import dev.weft.hca.verbs.ReceiveRequest;
import dev.weft.hca.verbs.UnpinnedPair;
import dev.weft.hca.verbs.VerbsException;
import dev.weft.hca.verbs.WcStatus;
import dev.weft.hca.verbs.WorkCompletion;
import dev.weft.hca.verbs.WorkRequest;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("simulation")
class UnpinnedTest {
  private static final int PAGE = UnpinnedPair.PAGE;

  private static void assertQuiet(UnpinnedPair vm) {
    for (Pair.Side side : List.of(vm.pair.a, vm.pair.b)) {
      assertEquals(0, side.counters().rnrNaksSent(), "RNR NAKs");
      assertEquals(0, side.counters().rnrTimeouts(), "RNR time-outs");
      assertEquals(0, side.counters().timeouts(), "time-outs");
      assertEquals(0, side.counters().naksSent(), "NAKs");
    }
  }

  @Test
  void shouldPutAWriteToAnAbsentPageThereAfterOnePageIn() {
    try (UnpinnedPair vm = new UnpinnedPair(8, 64)) {
      Pair p = vm.pair;
      p.a.fill(3);
      assertFalse(vm.isResident(5));
      p.a.send(new WorkRequest().write(vm.va(5 * PAGE + 100), vm.mr.rkey()).sge(p.a.mr, 0, 2000).signaled());
      p.run();
      assertEquals(WcStatus.SUCCESS, p.a.oneSent().status());
      assertTrue(vm.isResident(5));
      assertEquals(1, vm.vm.snapshot().pageIns());
      assertArrayEquals(vm.ofA(0, 2000), vm.peek(5 * PAGE + 100, 2000));
      assertQuiet(vm);
    }
  }

  @Test
  void shouldKeepWhatAPageHeldAroundARedirectedWrite() {
    try (UnpinnedPair vm = new UnpinnedPair(4, 64)) {
      byte[] before = new byte[PAGE];
      java.util.Arrays.fill(before, (byte) 7);
      vm.poke(5 * PAGE, before);
      vm.push(20, 8);
      assertFalse(vm.isResident(5), "page 5 was replaced");
      vm.pair.a.fill(1);
      vm.pair.a.send(new WorkRequest().write(vm.va(5 * PAGE + 10), vm.mr.rkey()).sge(vm.pair.a.mr, 0, 20).signaled());
      vm.pair.run();
      System.arraycopy(vm.ofA(0, 20), 0, before, 10, 20);
      assertArrayEquals(before, vm.peek(5 * PAGE, PAGE));
      assertEquals(1, vm.nic().redirect().redirectedPackets());
      assertEquals(0, vm.nic().redirect().used());
    }
  }

  @Test
  void shouldWriteAcrossPagesOfWhichSomeAreAbsent() {
    try (UnpinnedPair vm = new UnpinnedPair(8, 64)) {
      vm.poke(2 * PAGE, new byte[PAGE]);
      vm.pair.a.fill(9);
      vm.pair.a.send(new WorkRequest().write(vm.va(PAGE + 4000), vm.mr.rkey()).sge(vm.pair.a.mr, 0, 9000).signaled());
      vm.pair.run();
      assertEquals(WcStatus.SUCCESS, vm.pair.a.oneSent().status());
      assertArrayEquals(vm.ofA(0, 9000), vm.peek(PAGE + 4000, 9000));
      assertQuiet(vm);
    }
  }

  @Test
  void shouldAnswerAReadOfAbsentPagesWhenTheyAreThere() {
    try (UnpinnedPair vm = new UnpinnedPair(4, 64)) {
      byte[] bytes = new byte[6000];
      new java.util.Random(5).nextBytes(bytes);
      vm.poke(7 * PAGE + 50, bytes);
      vm.push(20, 8);
      assertFalse(vm.isResident(7));
      vm.pair.a.send(new WorkRequest().read(vm.va(7 * PAGE + 50), vm.mr.rkey()).sge(vm.pair.a.mr, 0, 6000).signaled());
      vm.pair.run();
      assertEquals(WcStatus.SUCCESS, vm.pair.a.oneSent().status());
      assertArrayEquals(bytes, vm.ofA(0, 6000));
      assertQuiet(vm);
    }
  }

  @Test
  void shouldSendFromAbsentPages() {
    try (UnpinnedPair vm = new UnpinnedPair(4, 64)) {
      byte[] bytes = new byte[9000];
      new java.util.Random(6).nextBytes(bytes);
      vm.poke(7 * PAGE + 50, bytes);
      vm.push(20, 8);
      vm.pair.b.send(new WorkRequest().write(vm.pair.a.mr.addr(), vm.pair.a.mr.rkey()).sge(vm.mr, 7 * PAGE + 50, 9000).signaled());
      vm.pair.run();
      assertEquals(WcStatus.SUCCESS, vm.pair.b.oneSent().status());
      assertArrayEquals(bytes, vm.ofA(0, 9000));
      assertEquals(0, vm.vm.snapshot().spaces().getFirst().lockedPages());
      assertQuiet(vm);
    }
  }

  @Test
  void shouldPlaceAnswersAndMessagesInAbsentPages() {
    try (UnpinnedPair vm = new UnpinnedPair(4, 64)) {
      vm.pair.a.fill(11);
      vm.pair.b.send(new WorkRequest().read(vm.pair.a.mr.addr(), vm.pair.a.mr.rkey()).sge(vm.mr, 3 * PAGE, 5000).signaled());
      vm.pair.b.qp.postReceive(new ReceiveRequest().receive(1).sge(vm.mr, 30 * PAGE + 9, 3000));
      vm.pair.a.send(new WorkRequest().send().sge(vm.pair.a.mr, 100, 3000).signaled());
      vm.pair.run();
      assertEquals(WcStatus.SUCCESS, vm.pair.b.oneSent().status());
      assertEquals(WcStatus.SUCCESS, vm.pair.b.oneReceived().status());
      assertArrayEquals(vm.ofA(0, 5000), vm.peek(3 * PAGE, 5000));
      assertArrayEquals(vm.ofA(100, 3000), vm.peek(30 * PAGE + 9, 3000));
      assertQuiet(vm);
    }
  }

  /** A page that was brought in must not leave before whoever waited for it has used it, or nobody ever gets on. */
  @Test
  void shouldServeMorePagesAtATimeThanThereAreFrames() {
    try (UnpinnedPair vm = new UnpinnedPair(4, 64)) {
      int[] done = new int[1];
      byte[] bytes = new byte[2 * PAGE];
      java.util.Arrays.fill(bytes, (byte) 6);
      for (int i = 0; i < 16; i++) {
        vm.space.write(vm.space.base() + 2L * i * PAGE, java.lang.foreign.MemorySegment.ofArray(bytes), ok -> done[0] += ok ? 1 : 0);
      }
      vm.pair.a.fill(2);
      vm.pair.a.send(new WorkRequest().read(vm.va(40 * PAGE + 100), vm.mr.rkey()).sge(vm.pair.a.mr, 0, 2 * PAGE).signaled());
      vm.pair.runUntil(() -> done[0] == 16 && vm.pair.a.sendCq.size() == 1);
      assertEquals(WcStatus.SUCCESS, vm.pair.a.oneSent().status());
      assertArrayEquals(bytes, vm.peek(10 * PAGE, 2 * PAGE));
      assertTrue(vm.vm.snapshot().faults() < 500, () -> "pages pushed each other out: " + vm.vm.snapshot());
      assertEquals(0, vm.vm.snapshot().spaces().getFirst().lockedPages());
    }
  }

  @Test
  void shouldExecuteAtomicsOnAbsentPagesInOrder() {
    try (UnpinnedPair vm = new UnpinnedPair(4, 64)) {
      vm.poke(9 * PAGE + 16, ByteBuffer.allocate(8).order(ByteOrder.nativeOrder()).putLong(40).array());
      vm.push(20, 8);
      assertFalse(vm.isResident(9));
      vm.pair.a.send(new WorkRequest().fetchAndAdd(vm.va(9 * PAGE + 16), vm.mr.rkey(), 2).sge(vm.pair.a.mr, 0, 8).signaled());
      vm.pair.a.send(new WorkRequest().fetchAndAdd(vm.va(9 * PAGE + 16), vm.mr.rkey(), 5).sge(vm.pair.a.mr, 8, 8).signaled());
      vm.pair.a.send(new WorkRequest().compareAndSwap(vm.va(9 * PAGE + 16), vm.mr.rkey(), 47, 100).sge(vm.pair.a.mr, 16, 8).signaled());
      vm.pair.run();
      assertEquals(3, vm.pair.a.sent().size());
      assertEquals(40, vm.pair.a.word(0));
      assertEquals(42, vm.pair.a.word(8));
      assertEquals(47, vm.pair.a.word(16));
      assertEquals(100, ByteBuffer.wrap(vm.peek(9 * PAGE + 16, 8)).order(ByteOrder.nativeOrder()).getLong());
      assertQuiet(vm);
    }
  }

  @Test
  void shouldRefuseWhatIsUnmappedAndTakeItAgainUnderTheSameKeyWhenItIsMapped() {
    try (UnpinnedPair vm = new UnpinnedPair(8, 64)) {
      byte[] secret = {1, 2, 3, 4};
      vm.poke(5 * PAGE, secret);
      boolean[] free = new boolean[1];
      vm.space.unmap(vm.space.base() + 5 * PAGE, PAGE, () -> free[0] = true);
      assertTrue(free[0]);
      vm.pair.a.send(new WorkRequest().read(vm.va(5 * PAGE), vm.mr.rkey()).sge(vm.pair.a.mr, 0, 4).signaled());
      vm.pair.run();
      assertEquals(WcStatus.REM_ACCESS_ERR, vm.pair.a.oneSent().status());
      vm.pair.reconnect();
      vm.space.map(vm.space.base() + 5 * PAGE, PAGE);
      vm.pair.a.send(new WorkRequest().read(vm.va(5 * PAGE), vm.mr.rkey()).sge(vm.pair.a.mr, 0, 4).signaled());
      vm.pair.run();
      assertEquals(WcStatus.SUCCESS, vm.pair.a.oneSent().status());
      assertArrayEquals(new byte[4], vm.ofA(0, 4), "new memory is zero");
    }
  }

  @Test
  void shouldFailATransferWhoseMemoryIsUnmappedUnderWay() {
    try (UnpinnedPair vm = new UnpinnedPair(64, 64)) {
      vm.pair.a.send(new WorkRequest().write(vm.va(0), vm.mr.rkey()).sge(vm.pair.a.mr, 0, 60 * PAGE).signaled());
      vm.pair.runUntil(() -> vm.isResident(3));
      boolean[] free = new boolean[1];
      vm.space.unmap(vm.space.base(), 64L * PAGE, () -> free[0] = true);
      vm.pair.run();
      assertTrue(free[0]);
      assertEquals(WcStatus.REM_ACCESS_ERR, vm.pair.a.oneSent().status());
      assertEquals(64, vm.vm.snapshot().freeFrames());
      assertEquals(0, vm.nic().redirect().used());
      vm.space.map(vm.space.base(), 64L * PAGE);
      assertArrayEquals(new byte[64 * PAGE], vm.peek(0, 64 * PAGE), "what was meant for the former mapping is gone");
    }
  }

  @Test
  void shouldNeverHoldMoreThanTheCreditAndLoseNothing() {
    try (UnpinnedPair vm = new UnpinnedPair(1, LinkFaults.NONE, 4, 256, 8)) {
      Pair p = vm.pair;
      p.a.fill(5);
      for (int i = 0; i < 48; i++) {
        p.a.send(new WorkRequest().write(vm.va(i * 5L * PAGE + 17 * i), vm.mr.rkey()).sge(p.a.mr, 100L * i, 3000).signaled().wrId(i));
      }
      p.run();
      assertEquals(48, p.a.sent().stream().filter(wc -> wc.status() == WcStatus.SUCCESS).count());
      NicPagesSnapshot nic = vm.nic();
      assertTrue(nic.redirect().usedMax() <= 8, () -> "most packets at a time: " + nic.redirect().usedMax());
      assertEquals(0, nic.redirect().used());
      for (int i = 0; i < 48; i++) {
        assertArrayEquals(vm.ofA(100L * i, 3000), vm.peek(i * 5L * PAGE + 17 * i, 3000), "write " + i);
      }
      assertEquals(0, p.a.counters().rnrNaksReceived());
    }
  }

  /** The first burst goes without credit; the refusal comes with the first acknowledgement of what was taken. */
  @Test
  void shouldSendAgainWithoutATimeOutWhatTheFirstAcknowledgementRefuses() {
    try (UnpinnedPair vm = new UnpinnedPair(1, LinkFaults.NONE, 8, 64, 3)) {
      Pair p = vm.pair;
      vm.push(0, 2);
      vm.push(20, 16);
      assertFalse(vm.isResident(0) || vm.isResident(1));
      p.a.fill(5);
      p.a.send(new WorkRequest().write(vm.va(0), vm.mr.rkey()).sge(p.a.mr, 0, 8 * Pair.MTU).signaled());
      p.run();
      assertEquals(WcStatus.SUCCESS, p.a.oneSent().status());
      assertTrue(vm.nic().redirect().refused() > 0, "all of it was taken at once");
      assertEquals(0, p.a.counters().timeouts());
      assertArrayEquals(vm.ofA(0, 8 * Pair.MTU), vm.peek(0, 8 * Pair.MTU));
    }
  }

  @Test
  void shouldRegisterVirtualMemoryWithoutPinningOnly() {
    try (UnpinnedPair vm = new UnpinnedPair(8, 64)) {
      assertThrows(VerbsException.class, () -> vm.pair.b.hca.regMr(vm.pair.b.pd, vm.name, Access.ALL));
      assertFalse(vm.mr.isPinned());
      assertThrows(WrongThreadException.class, () -> vm.name.get(java.lang.foreign.ValueLayout.JAVA_BYTE, 0));
    }
  }

  @Test
  void shouldPrefetchWhatIsAdvised() {
    try (UnpinnedPair vm = new UnpinnedPair(8, 64)) {
      vm.pair.b.hca.adviseMr(vm.mr.pd(), MrAdvice.PREFETCH, false, vm.mr, 3 * PAGE, 2 * PAGE);
      vm.pair.run();
      assertTrue(vm.isResident(3) && vm.isResident(4));
      vm.pair.a.send(new WorkRequest().write(vm.va(3 * PAGE), vm.mr.rkey()).sge(vm.pair.a.mr, 0, 2 * PAGE).signaled());
      vm.pair.run();
      assertEquals(0, vm.nic().redirect().redirectedPackets());
    }
  }

  /** Writes one after another through a queue pair of its own to pinned memory, for 20 ms; answers how many. */
  private static int steadyWrites(UnpinnedPair vm) {
    Pair p = vm.pair;
    CompletionQueue cqA = p.a.hca.createCq(16, ReceiveContext.POLLING, null);
    CompletionQueue cqB = p.b.hca.createCq(16, ReceiveContext.POLLING, null);
    QueuePair a = p.a.hca.createQp(p.a.pd, new QpInitAttr(cqA, cqA, 4, 4, 1, 1, 0, false));
    QueuePair b = p.b.hca.createQp(p.b.pd, new QpInitAttr(cqB, cqB, 4, 4, 1, 1, 0, false));
    a.modify(QpAttr.init(Access.ALL));
    b.modify(QpAttr.init(Access.ALL));
    a.modify(QpAttr.rtr().destLid(p.b.hca.lid()).destQpNum(b.qpNum()).rqPsn(1).pathMtu(Pair.MTU));
    b.modify(QpAttr.rtr().destLid(p.a.hca.lid()).destQpNum(a.qpNum()).rqPsn(1).pathMtu(Pair.MTU));
    a.modify(QpAttr.rts(1));
    b.modify(QpAttr.rts(1));
    int[] count = new int[1];
    WorkCompletion wc = new WorkCompletion();
    WorkRequest write = new WorkRequest();
    a.postSend(write.write(p.b.mr.addr(), p.b.mr.rkey()).sge(p.a.mr, 0, 512).signaled());
    p.fabric.system().runUntil(() -> {
      if (cqA.poll(wc)) {
        assertEquals(WcStatus.SUCCESS, wc.status());
        count[0]++;
        a.postSend(write.write(p.b.mr.addr(), p.b.mr.rkey()).sge(p.a.mr, 0, 512).signaled());
      }
      return false;
    }, 20_000_000);
    return count[0];
  }

  @Test
  void shouldLetAQueuePairThatDoesNotFaultKeepItsRate() {
    int alone;
    try (UnpinnedPair vm = new UnpinnedPair(8, 256)) {
      alone = steadyWrites(vm);
    }
    try (UnpinnedPair vm = new UnpinnedPair(8, 256)) {
      for (int i = 0; i < 60; i++) {
        vm.pair.a.send(new WorkRequest().write(vm.va(4L * i * PAGE), vm.mr.rkey()).sge(vm.pair.a.mr, 0, 800).signaled());
      }
      int beside = steadyWrites(vm);
      assertTrue(vm.nic().faults() >= 60);
      assertTrue(beside >= 0.95 * alone, () -> beside + " writes beside one that faults, " + alone + " alone");
    }
  }
}
