package dev.weft.hca.transport;

import static dev.weft.hca.verbs.Refusal.refused;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.fabric.link.LinkFaults;
import dev.weft.hca.verbs.Access;
import dev.weft.hca.verbs.AddressHandle;
import dev.weft.hca.verbs.CompletionQueue;
import dev.weft.hca.verbs.CompletionQueueEx;
import dev.weft.hca.verbs.CqExAttr;
import dev.weft.hca.verbs.Pair;
import dev.weft.hca.verbs.QpAttr;
import dev.weft.hca.verbs.QpInitAttr;
import dev.weft.hca.verbs.QpState;
import dev.weft.hca.verbs.QpType;
import dev.weft.hca.verbs.QueuePair;
import dev.weft.hca.verbs.ReceiveContext;
import dev.weft.hca.verbs.SendFlags;
import dev.weft.hca.verbs.TypedPair;
import dev.weft.hca.verbs.VerbsException;
import dev.weft.hca.verbs.VerbsException.Errno;
import dev.weft.hca.verbs.WcStatus;
import dev.weft.hca.verbs.WorkCompletion;
import dev.weft.hca.verbs.WorkRequest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** When slots of queues come back: with the poll of their completion or a later one, as with the drivers of rdma-core. */
@Tag("simulation")
class SendSlotsTest {
  private static final int DEPTH = 8;

  /** Queues of 8, and completion queues with room for 8. */
  private static Pair eight() {
    return new Pair(1, LinkFaults.NONE, new Pair.QpShape(DEPTH, DEPTH, false), Access.ALL).connect(attr -> {});
  }

  private static WorkRequest write(Pair pair) {
    return pair.a.wr.write(pair.b.mr.addr(), pair.b.mr.rkey()).sge(pair.a.mr, 0, 8);
  }

  private static void assertFull(Pair pair) {
    VerbsException full = assertThrows(VerbsException.class, () -> pair.a.send(write(pair).signaled()));
    assertEquals(Errno.ENOMEM, full.errno());
    assertTrue(full.getMessage().contains("polling the completion of a request frees its slot and those of earlier requests"),
        full.getMessage());
  }

  @Test
  void shouldRefuseTheNinthRequestUntilACompletionIsPolled() {
    try (Pair pair = eight()) {
      for (int i = 0; i < DEPTH; i++) {
        pair.a.send(write(pair).wrId(i).signaled());
      }
      pair.run();
      assertEquals(DEPTH, pair.a.sendCq.size());
      assertEquals(0, pair.a.qp.sendQueueSize());
      assertEquals(DEPTH, pair.a.qp.sendSlotsTaken());
      assertFull(pair);
      for (int round = 0; round < 3 * DEPTH; round++) {
        assertTrue(pair.a.sendCq.poll(new WorkCompletion()));
        pair.a.send(write(pair).signaled());
        assertFull(pair);
        pair.run();
      }
      assertFalse(pair.a.sendCq.isOverrun());
      assertEquals(QpState.RTS, pair.a.qp.state());
    }
  }

  @Test
  void shouldGiveTheUnsignaledBeforeItBackToo() {
    try (Pair pair = eight()) {
      for (int i = 0; i < DEPTH; i++) {
        pair.a.send(i == 5 ? write(pair).signaled() : write(pair));
      }
      pair.run();
      assertFull(pair);
      assertEquals(1, pair.a.sent().size());
      assertEquals(2, pair.a.qp.sendSlotsTaken(), "those behind the signaled one");
    }
  }

  /** As with rdma-core: nothing says that they are done. */
  @Test
  void shouldStayFullOfUnsignaledRequestsUntilReset() {
    try (Pair pair = eight()) {
      for (int i = 0; i < DEPTH; i++) {
        pair.a.send(write(pair));
      }
      pair.run();
      assertEquals(0, pair.a.qp.sendQueueSize());
      assertFull(pair);
      pair.reconnect();
      pair.a.send(write(pair).signaled());
      pair.run();
      assertTrue(pair.a.oneSent().isSuccess());
    }
  }

  @Test
  void shouldGiveEverythingBackWhenFlushesArePolled() {
    try (Pair pair = eight()) {
      for (int i = 0; i < DEPTH; i++) {
        pair.a.send(write(pair));
      }
      pair.a.qp.modify(new QpAttr().state(QpState.ERR));
      pair.run();
      assertFull(pair);
      assertEquals(DEPTH, pair.a.sent().size());
      assertEquals(0, pair.a.qp.sendSlotsTaken());
      pair.a.send(write(pair));
      pair.run();
      assertEquals(WcStatus.WR_FLUSH_ERR, pair.a.oneSent().status());
    }
  }

  /** Completions of a former life are polled when the queue has begun another: they give nothing back twice. */
  @Test
  void shouldCountFromZeroAfterAReset() {
    try (Pair pair = new Pair(1, LinkFaults.NONE, new Pair.QpShape(DEPTH, 64, false), Access.ALL).connect(attr -> {})) {
      for (int i = 0; i < DEPTH; i++) {
        pair.a.send(write(pair).signaled());
      }
      pair.run();
      pair.reconnect();
      assertEquals(0, pair.a.qp.sendSlotsTaken());
      for (int i = 0; i < DEPTH; i++) {
        pair.a.send(write(pair).signaled());
      }
      assertEquals(DEPTH, pair.a.sent().size(), "of before");
      assertFull(pair);
      pair.run();
      assertFull(pair);
      assertEquals(DEPTH, pair.a.sent().size());
      assertEquals(0, pair.a.qp.sendSlotsTaken());
    }
  }

  @Test
  void shouldHaveRoomForAllQueuePairsThatShareACompletionQueue() {
    try (Pair pair = new Pair()) {
      CompletionQueue shared = pair.a.hca.createCq(2 * DEPTH, ReceiveContext.POLLING, null);
      QueuePair[] qps = new QueuePair[2];
      for (int i = 0; i < 2; i++) {
        qps[i] = pair.a.hca.createQp(pair.a.pd, QpInitAttr.of(shared, DEPTH).withType(QpType.UD));
        qps[i].modify(QpAttr.initUd(1));
        qps[i].modify(QpAttr.rtrUd());
        qps[i].modify(QpAttr.rtsUnreliable(0));
      }
      AddressHandle handle = pair.a.hca.createAh(pair.a.pd, pair.b.hca.lid(), 0);
      WorkCompletion wc = new WorkCompletion();
      for (int round = 0; round < 5; round++) {
        for (QueuePair qp : qps) {
          while (qp.sendSlotsTaken() < DEPTH) {
            qp.postSend(pair.a.wr.send().sge(pair.a.mr, 0, 8).to(handle, 99, 1).signaled());
          }
          refused(Errno.ENOMEM, () -> qp.postSend(pair.a.wr.send().sge(pair.a.mr, 0, 8).to(handle, 99, 1).signaled()));
        }
        pair.run();
        for (int i = 0; i <= round; i++) {
          assertTrue(shared.poll(wc));
        }
      }
      assertFalse(shared.isOverrun());
    }
  }

  @Test
  void shouldGiveThemBackWhenAnEntryThatIsReadInPlaceIsFreed() {
    try (Pair pair = new Pair()) {
      CompletionQueueEx cq = pair.a.hca.createCqEx(new CqExAttr(DEPTH, ReceiveContext.POLLING, null, false, false));
      QueuePair qp = pair.a.hca.createQp(pair.a.pd, QpInitAttr.of(cq.cq(), DEPTH).withType(QpType.UD));
      qp.modify(QpAttr.initUd(1));
      qp.modify(QpAttr.rtrUd());
      qp.modify(QpAttr.rtsUnreliable(0));
      AddressHandle handle = pair.a.hca.createAh(pair.a.pd, pair.b.hca.lid(), 0);
      for (int i = 0; i < DEPTH; i++) {
        qp.postSend(pair.a.wr.send().sge(pair.a.mr, 0, 8).to(handle, 99, 1).signaled());
      }
      pair.run();
      assertTrue(cq.startPoll());
      assertEquals(DEPTH, qp.sendSlotsTaken(), "its entry is still being read");
      assertTrue(cq.nextPoll());
      assertEquals(DEPTH - 1, qp.sendSlotsTaken());
      cq.endPoll();
      assertEquals(DEPTH - 2, qp.sendSlotsTaken());
    }
  }

  /** A batch is taken one by one: the place of each is free before its slot. */
  @Test
  void shouldGiveThemBackWhenManyArePolledAtOnce() {
    try (Pair pair = eight()) {
      WorkCompletion[] batch = new WorkCompletion[5];
      for (int i = 0; i < batch.length; i++) {
        batch[i] = new WorkCompletion();
      }
      for (int i = 0; i < DEPTH; i++) {
        pair.a.send(write(pair).signaled());
      }
      pair.run();
      assertEquals(5, pair.a.sendCq.poll(batch));
      assertEquals(DEPTH - 5, pair.a.qp.sendSlotsTaken());
      pair.a.sendCq.resize(DEPTH + 1);
      assertEquals(3, pair.a.sendCq.poll(batch));
      assertEquals(0, pair.a.qp.sendSlotsTaken());
    }
  }

  /** What nobody can poll any more must not fill the queue. */
  @Test
  void shouldGiveSlotsBackWhoseCompletionsWereLost() {
    try (Pair pair = new Pair(1, LinkFaults.NONE, new Pair.QpShape(DEPTH, 4, false), Access.ALL).connect(attr -> {})) {
      for (int i = 0; i < DEPTH; i++) {
        pair.a.send(write(pair).signaled());
      }
      pair.run();
      assertTrue(pair.a.sendCq.isOverrun());
      assertEquals(4, pair.a.sent().size());
      assertEquals(0, pair.a.qp.sendSlotsTaken());
    }
  }

  @Test
  void shouldRefuseTheNinthReceiveUntilACompletionIsPolled() {
    try (Pair pair = eight()) {
      for (int i = 0; i < DEPTH; i++) {
        pair.b.post(i, 0, 64);
        pair.a.send(pair.a.wr.send().sge(pair.a.mr, 0, 8).flags(i == DEPTH - 1 ? SendFlags.SIGNALED : 0));
      }
      pair.run();
      assertEquals(0, pair.b.qp.receiveQueueSize());
      refused(Errno.ENOMEM, () -> pair.b.post(9, 0, 64));
      assertTrue(pair.b.recvCq.poll(new WorkCompletion()));
      pair.b.post(9, 0, 64);
      refused(Errno.ENOMEM, () -> pair.b.post(10, 0, 64));
      assertEquals(DEPTH, pair.b.qp.receiveSlotsTaken());
    }
  }

  @ParameterizedTest
  @EnumSource(value = QpType.class, names = {"UC", "UD"})
  void shouldHoldWithoutAcknowledgementsToo(QpType type) {
    try (TypedPair p = TypedPair.of(type)) {
      int depth = p.qa.initAttr().maxSendWr();
      for (int i = 0; i < depth; i++) {
        p.qa.postSend(p.toB(p.a.wr.send().sge(p.a.mr, 0, 8).signaled()));
      }
      p.run();
      assertEquals(0, p.qa.sendQueueSize());
      refused(Errno.ENOMEM, () -> p.qa.postSend(p.toB(p.a.wr.send().sge(p.a.mr, 0, 8))));
      assertEquals(depth, p.a.sent().size());
      p.qa.postSend(p.toB(p.a.wr.send().sge(p.a.mr, 0, 8)));
    }
  }
}
