package dev.weft.hca.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.fabric.packet.Opcode;
import dev.weft.hca.verbs.Access;
import dev.weft.hca.verbs.AsyncEvent;
import dev.weft.hca.verbs.QpAttr;
import dev.weft.hca.verbs.QpState;
import dev.weft.hca.verbs.QpType;
import dev.weft.hca.verbs.TypedPair;
import dev.weft.hca.verbs.VerbsException;
import dev.weft.hca.verbs.WcOpcode;
import dev.weft.hca.verbs.WcStatus;
import dev.weft.hca.verbs.WorkCompletion;
import dev.weft.hca.verbs.WorkRequest;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Unreliable connected queue pairs (specification volume 1, section 9.8.2). */
@Tag("simulation")
class UcTest {
  private final TypedPair p = TypedPair.of(QpType.UC);

  @AfterEach
  void close() {
    p.close();
  }

  private static byte[] bytes(int length, int value) {
    byte[] bytes = new byte[length];
    Arrays.fill(bytes, (byte) value);
    return bytes;
  }

  private byte at(long offset) {
    return p.b.memory.get(ValueLayout.JAVA_BYTE, offset);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 1023, 1024, 1025, 5000})
  void shouldCarrySendsAndWritesOfAnyLength(int length) {
    p.a.fill(length);
    for (int i = 0; i < 2; i++) {
      p.post(i, 0, length);
    }
    p.qa.postSend(p.a.wr.send().sge(p.a.mr, 0, length).wrId(10).signaled());
    p.qa.postSend(p.a.wr.writeWithImm(p.b.mr.addr() + 8192, p.b.mr.rkey(), 99).sge(p.a.mr, 0, length).wrId(11).signaled());
    p.qa.postSend(p.a.wr.write(p.b.mr.addr() + 20000, p.b.mr.rkey()).sge(p.a.mr, 0, length).wrId(12));
    p.run();
    assertEquals(List.of(10L, 11L), p.a.sent().stream().map(WorkCompletion::wrId).toList());
    List<WorkCompletion> got = p.b.received();
    assertEquals(List.of(WcOpcode.RECV, WcOpcode.RECV_RDMA_WITH_IMM), got.stream().map(WorkCompletion::opcode).toList());
    assertEquals(List.of(length, length), got.stream().map(WorkCompletion::byteLen).toList());
    assertEquals(99, got.getLast().immData());
    assertEquals(p.qa.qpNum(), got.getFirst().srcQp());
    p.pair.assertSame(0, 0, length);
    p.pair.assertSame(0, 8192, length);
    p.pair.assertSame(0, 20000, length);
    assertEquals(0, p.b.counters().acksSent() + p.a.counters().packetsReceived(), "nothing is acknowledged");
  }

  @Test
  void shouldLetTheSenderReuseItsBufferOnceTheRequestHasCompleted() {
    p.a.word(0, 0x1111);
    p.post(1, 0, 8);
    p.qa.postSend(p.a.wr.send().sge(p.a.mr, 0, 8).signaled());
    p.pair.runUntil(() -> p.a.sendCq.size() > 0);
    p.a.word(0, 0x2222);
    p.run();
    assertEquals(0x1111, p.b.word(0));
  }

  @Test
  void shouldDropAMessageThatLacksAPacketAndKeepItsReceiveForTheNext() {
    p.post(1, 0, 4096);
    p.forge(Opcode.UC_SEND_FIRST, 100, bytes(1024, 1));
    p.forge(Opcode.UC_SEND_LAST, 102, bytes(10, 1));
    assertTrue(p.b.received().isEmpty());
    assertEquals(1, p.b.counters().messagesDropped());
    p.forge(Opcode.UC_SEND_MIDDLE, 103, bytes(1024, 1));
    p.forge(Opcode.UC_SEND_LAST, 104, bytes(10, 1));
    assertTrue(p.b.received().isEmpty(), "reception resumes at the next first packet only");
    p.forge(Opcode.UC_SEND_FIRST, 105, bytes(1024, 2));
    p.forge(Opcode.UC_SEND_LAST_WITH_IMM, 106, bytes(10, 2));
    WorkCompletion got = p.b.oneReceived();
    assertEquals(1, got.wrId());
    assertEquals(1034, got.byteLen());
    assertEquals(7, got.immData());
    assertEquals(2, at(1033));
  }

  @Test
  void shouldBeginANewMessageAtAFirstPacketWhateverWasInProgress() {
    p.post(1, 0, 4096);
    p.forge(Opcode.UC_SEND_FIRST, 100, bytes(1024, 1));
    p.forge(Opcode.UC_SEND_ONLY, 101, bytes(10, 2));
    assertEquals(10, p.b.oneReceived().byteLen());
    p.forge(Opcode.UC_RDMA_WRITE_FIRST, 102, p.b.mr.addr(), p.b.mr.rkey(), 2048, bytes(1024, 3));
    p.post(2, 0, 4096);
    p.forge(Opcode.UC_SEND_LAST, 103, bytes(10, 1));
    p.forge(Opcode.UC_SEND_ONLY, 700, bytes(11, 2));
    assertEquals(11, p.b.oneReceived().byteLen());
    assertEquals(701, p.qb.query().rqPsn());
  }

  @Test
  void shouldDropWhatHasNoReceiveOrDoesNotFitIt() {
    p.forge(Opcode.UC_SEND_ONLY, 100, bytes(10, 1));
    assertEquals(1, p.b.counters().receivesMissing());
    p.post(1, 0, 1500);
    p.forge(Opcode.UC_SEND_FIRST, 101, bytes(1024, 1));
    p.forge(Opcode.UC_SEND_LAST, 102, bytes(1000, 1));
    assertTrue(p.b.received().isEmpty());
    assertEquals(QpState.RTS, p.qb.state());
    p.forge(Opcode.UC_SEND_ONLY, 103, bytes(10, 3));
    assertEquals(1, p.b.oneReceived().wrId());
    assertEquals(3, at(9));
  }

  @Test
  void shouldDropWritesThatMayNotBeOrHaveAWrongLength() {
    long addr = p.b.mr.addr();
    int rkey = p.b.mr.rkey();
    p.forge(Opcode.UC_RDMA_WRITE_ONLY, 100, addr, rkey + 1, 8, bytes(8, 1));
    p.forge(Opcode.UC_RDMA_WRITE_ONLY, 101, addr, rkey, 9, bytes(8, 1));
    p.forge(Opcode.UC_RDMA_WRITE_ONLY, 102, addr + p.b.mr.length() - 7, rkey, 8, bytes(8, 1));
    p.forge(Opcode.UC_RDMA_WRITE_ONLY_WITH_IMM, 103, addr, rkey, 8, bytes(8, 1));
    p.forge(Opcode.UC_RDMA_WRITE_FIRST, 104, addr, rkey, 2000, bytes(8, 1));
    assertEquals(0, p.b.word(0));
    assertEquals(5, p.b.counters().messagesDropped());
    p.qb.modify(new QpAttr().state(QpState.RTS).accessFlags(Access.REMOTE_READ));
    p.forge(Opcode.UC_RDMA_WRITE_ONLY, 105, addr, rkey, 8, bytes(8, 1));
    assertEquals(0, p.b.word(0));
    p.qb.modify(new QpAttr().state(QpState.RTS).accessFlags(Access.REMOTE_WRITE));
    p.forge(Opcode.UC_RDMA_WRITE_ONLY, 106, addr, rkey, 8, bytes(8, 1));
    assertEquals(0x0101010101010101L, p.b.word(0));
    assertTrue(p.b.events().stream().noneMatch(event -> event.type() == AsyncEvent.Type.QP_ACCESS_ERR));
  }

  @Test
  void shouldIgnorePacketsOfOtherServicesAndPeers() {
    p.post(1, 0, 100);
    p.forge(Opcode.RC_SEND_ONLY, 100, bytes(10, 1));
    p.forge(Opcode.UD_SEND_ONLY, 100, bytes(10, 1));
    p.forge(Opcode.RC_ACKNOWLEDGE, 100, new byte[0]);
    assertTrue(p.b.received().isEmpty());
    assertEquals(3, p.b.counters().packetsDropped());
    assertEquals(100, p.qb.query().rqPsn());
  }

  @Test
  void shouldFailAReceiveThatNamesMemoryItMayNotWrite() {
    p.qb.postReceive(p.b.rr.receive(1).sge(p.b.mr.addr(), 100, p.b.mr.lkey() + 1));
    p.post(2, 0, 100);
    p.forge(Opcode.UC_SEND_ONLY, 100, bytes(10, 1));
    List<WorkCompletion> got = p.b.received();
    assertEquals(List.of(WcStatus.LOC_PROT_ERR, WcStatus.WR_FLUSH_ERR), got.stream().map(WorkCompletion::status).toList());
    assertEquals(QpState.ERR, p.qb.state());
  }

  @Test
  void shouldStopOnlyTheSendQueueWhenASendFailsAndComeBackFromSqe() {
    p.qa.postReceive(p.a.rr.receive(5).sge(p.a.mr, 4096, 100));
    p.post(1, 0, 100);
    p.post(2, 0, 100);
    p.qa.postSend(p.a.wr.send().sge(p.a.mr, 0, 8).wrId(1));
    p.qa.postSend(p.a.wr.send().sge(p.a.mr.addr(), 8, p.a.mr.lkey() + 1).wrId(2));
    p.qa.postSend(p.a.wr.send().sge(p.a.mr, 0, 8).wrId(3));
    p.run();
    assertEquals(QpState.SQE, p.qa.state());
    List<WorkCompletion> sent = p.a.sent();
    assertEquals(List.of(2L, 3L), sent.stream().map(WorkCompletion::wrId).toList());
    assertEquals(WcStatus.LOC_PROT_ERR, sent.getFirst().status());
    TypedPair.assertFlushed(sent.getLast());
    assertEquals(1, p.b.oneReceived().wrId());
    p.qa.postSend(p.a.wr.send().sge(p.a.mr, 0, 8).wrId(4));
    p.qb.postSend(p.b.wr.send().sge(p.b.mr, 0, 8));
    p.run();
    TypedPair.assertFlushed(p.a.oneSent());
    assertEquals(5, p.a.oneReceived().wrId(), "the receive queue goes on");
    p.qa.modify(new QpAttr().state(QpState.RTS).curState(QpState.SQE));
    p.qa.postSend(p.a.wr.send().sge(p.a.mr, 0, 8).wrId(6).signaled());
    p.run();
    assertEquals(WcStatus.SUCCESS, p.a.oneSent().status());
    assertEquals(2, p.b.oneReceived().wrId());
  }

  @Test
  void shouldRefuseOperationsThatItDoesNotHave() {
    for (WorkRequest request : List.of(new WorkRequest().read(0, 0), new WorkRequest().fetchAndAdd(0, 0, 1),
        new WorkRequest().localInvalidate(1))) {
      VerbsException e = assertThrows(VerbsException.class, () -> p.qa.postSend(request));
      assertEquals(VerbsException.Errno.EINVAL, e.errno());
    }
    assertEquals(0, p.qa.sendQueueSize());
  }

  @Test
  void shouldLoseWhatIsSentWhileTheLinkIsDownAndCompleteIt() {
    p.pair.fabric.leafSwitch().tell(new dev.weft.fabric.switching.SwitchActor.SetLink(1, false));
    p.run();
    p.post(1, 0, 100);
    for (int round = 0; round < 2; round++) {
      p.qa.postSend(p.a.wr.send().sge(p.a.mr, 0, 8).wrId(round).signaled());
      p.run();
      assertEquals(WcStatus.SUCCESS, p.a.oneSent().status());
    }
    assertTrue(p.b.received().isEmpty());
    p.pair.fabric.leafSwitch().tell(new dev.weft.fabric.switching.SwitchActor.SetLink(1, true));
    p.run();
    p.qa.postSend(p.a.wr.send().sge(p.a.mr, 0, 8).wrId(9).signaled());
    p.run();
    assertEquals(1, p.b.oneReceived().wrId());
  }

  @Test
  void shouldFinishTheStartedMessageInSqdAndTheRestAfterwards() {
    for (int i = 0; i < 3; i++) {
      p.post(i, 0, 600_000);
      p.qa.postSend(p.a.wr.send().sge(p.a.mr, 0, 600_000).wrId(i).signaled());
    }
    p.pair.runUntil(() -> p.a.counters().packetsSent() > 10);
    p.a.events();
    p.qa.modify(new QpAttr().state(QpState.SQD).enSqdAsyncNotify(true));
    p.run();
    assertEquals(List.of(new AsyncEvent(AsyncEvent.Type.SQ_DRAINED, p.qa.qpNum())), p.a.events());
    int before = p.b.received().size();
    assertTrue(before >= 1 && before < 3, "finished: " + before);
    p.qa.modify(new QpAttr().state(QpState.RTS));
    p.run();
    assertEquals(3 - before, p.b.received().size());
  }
}
