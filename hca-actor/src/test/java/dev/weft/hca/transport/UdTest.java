package dev.weft.hca.transport;

import static dev.weft.hca.verbs.Refusal.refused;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.fabric.packet.Opcode;
import dev.weft.fabric.packet.Packet;
import dev.weft.hca.device.ControlVerbs;
import dev.weft.hca.verbs.AddressHandle;
import dev.weft.hca.verbs.ProtectionDomain;
import dev.weft.hca.verbs.QpAttr;
import dev.weft.hca.verbs.QpState;
import dev.weft.hca.verbs.QpType;
import dev.weft.hca.verbs.QueuePair;
import dev.weft.hca.verbs.TypedPair;
import dev.weft.hca.verbs.VerbsException;
import dev.weft.hca.verbs.WcStatus;
import dev.weft.hca.verbs.WorkCompletion;
import dev.weft.hca.verbs.WorkRequest;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Datagram queue pairs (specification volume 1, section 9.8.3). */
@Tag("simulation")
class UdTest {
  private static final int GRH = 40;

  @Test
  void shouldPlaceTheBytesBehindTheHeaderAndTellWhereTheyComeFrom() {
    try (TypedPair p = TypedPair.of(QpType.UD)) {
      p.a.fill(3);
      p.post(1, 0, GRH + 100);
      AddressHandle handle = p.a.hca.createAh(p.a.pd, p.b.hca.lid(), 5);
      p.qa.postSend(p.a.wr.sendWithImm(77).sge(p.a.mr, 0, 100).to(handle, p.qb.qpNum(), TypedPair.QKEY).wrId(2).signaled());
      p.run();
      assertEquals(WcStatus.SUCCESS, p.a.oneSent().status());
      WorkCompletion got = p.b.oneReceived();
      assertEquals(GRH + 100, got.byteLen());
      assertEquals(77, got.immData());
      assertEquals(p.qa.qpNum(), got.srcQp());
      assertEquals(p.a.hca.lid(), got.srcLid());
      assertEquals(5, got.serviceLevel());
      assertTrue(got.hasGrh());
      p.pair.assertSame(0, GRH, 100);
      byte[] header = p.b.memory.asSlice(0, GRH).toArray(ValueLayout.JAVA_BYTE);
      assertEquals("00".repeat(20), HexFormat.of().formatHex(header, 0, 20));
      assertEquals("4514", HexFormat.of().formatHex(header, 20, 22), "IPv4, service level 5 as DSCP");
      assertEquals("0a570001" + "0a570002", HexFormat.of().formatHex(header, 32, 40), "addresses");
    }
  }

  @Test
  void shouldAnswerTheSenderThroughAHandleFromTheCompletion() {
    try (TypedPair p = TypedPair.of(QpType.UD)) {
      p.post(1, 0, 200);
      p.qa.postReceive(p.a.rr.receive(2).sge(p.a.mr, 0, 200));
      p.qa.postSend(p.toB(p.a.wr.send()).sge(p.a.mr, 0, 8));
      p.run();
      WorkCompletion got = p.b.oneReceived();
      AddressHandle back = p.b.hca.createAhFromWc(p.b.pd, got);
      p.qb.postSend(p.b.wr.send().sge(p.b.mr, 0, 8).to(back, got.srcQp(), TypedPair.QKEY));
      p.run();
      assertEquals(p.qb.qpNum(), p.a.oneReceived().srcQp());
      refused(VerbsException.Errno.EINVAL, () -> p.b.hca.createAhFromWc(p.b.pd, new WorkCompletion()));
    }
  }

  @ParameterizedTest
  @CsvSource({"4660,true", "4661,false", "-2147483648,true", "-1,true"})
  void shouldCheckTheQueueKeyAndSendItsOwnWhereTheTopBitIsSet(int qkey, boolean arrives) {
    try (TypedPair p = TypedPair.of(QpType.UD)) {
      p.post(1, 0, 200);
      p.qa.postSend(p.a.wr.send().sge(p.a.mr, 0, 8).to(p.aToB(), p.qb.qpNum(), qkey).signaled());
      p.run();
      assertEquals(WcStatus.SUCCESS, p.a.oneSent().status());
      assertEquals(arrives ? 1 : 0, p.b.received().size());
      assertEquals(arrives ? 0 : 1, p.b.counters().qkeyViolations());
      assertEquals(arrives ? 0 : 1, p.qb.receiveQueueSize());
    }
  }

  @Test
  void shouldSendThePrivilegedKeyOfTheQueuePairOnly() {
    try (TypedPair p = TypedPair.of(QpType.UD)) {
      p.qb.modify(new QpAttr().state(QpState.RTS).qkey(0x80000001));
      p.post(1, 0, 200);
      p.qa.postSend(p.a.wr.send().sge(p.a.mr, 0, 8).to(p.aToB(), p.qb.qpNum(), 0x80000001));
      p.run();
      assertTrue(p.b.received().isEmpty(), "a request cannot name a privileged key");
      p.qa.modify(new QpAttr().state(QpState.RTS).qkey(0x80000001));
      p.qa.postSend(p.a.wr.send().sge(p.a.mr, 0, 8).to(p.aToB(), p.qb.qpNum(), 0x80000000));
      p.run();
      assertEquals(1, p.b.received().size());
    }
  }

  @Test
  void shouldFailADatagramLongerThanThePathMtuAndComeBackFromSqe() {
    try (TypedPair p = TypedPair.of(QpType.UD)) {
      assertEquals(1024, p.a.hca.portMtuBytes());
      p.post(1, 0, 2000);
      p.qa.postSend(p.toB(p.a.wr.send()).sge(p.a.mr, 0, 1024).wrId(1));
      p.qa.postSend(p.toB(p.a.wr.send()).sge(p.a.mr, 0, 1025).wrId(2));
      p.qa.postSend(p.toB(p.a.wr.send()).sge(p.a.mr, 0, 8).wrId(3));
      p.run();
      List<WorkCompletion> sent = p.a.sent();
      assertEquals(List.of(WcStatus.LOC_LEN_ERR, WcStatus.WR_FLUSH_ERR), sent.stream().map(WorkCompletion::status).toList());
      assertEquals(QpState.SQE, p.qa.state());
      assertEquals(GRH + 1024, p.b.oneReceived().byteLen());
      p.qa.modify(new QpAttr().state(QpState.RTS).curState(QpState.SQE).qkey(TypedPair.QKEY));
      p.post(4, 0, 2000);
      p.qa.postSend(p.toB(p.a.wr.send()).sge(p.a.mr, 0, 8).wrId(4).signaled());
      p.run();
      assertEquals(WcStatus.SUCCESS, p.a.oneSent().status());
      assertEquals(4, p.b.oneReceived().wrId());
    }
  }

  @Test
  void shouldFailADatagramLongerThanTheWayToItsTargetCarries() {
    try (TypedPair p = TypedPair.of(QpType.UD)) {
      ((ControlVerbs) p.a.hca).limitPathMtu(lid -> lid == p.b.hca.lid() ? 500 : Integer.MAX_VALUE);
      assertEquals(500, p.a.hca.datagramMaxBytes(p.b.hca.lid()));
      assertEquals(1024, p.a.hca.datagramMaxBytes(p.a.hca.lid()));
      p.post(1, 0, 2000);
      p.qa.postReceive(p.a.rr.receive(2).sge(p.a.mr, 2000, 2000));
      AddressHandle own = p.a.hca.createAh(p.a.pd, p.a.hca.lid(), 0);
      p.qa.postSend(p.a.wr.send().sge(p.a.mr, 0, 1024).to(own, p.qa.qpNum(), TypedPair.QKEY).wrId(1).signaled());
      p.qa.postSend(p.toB(p.a.wr.send()).sge(p.a.mr, 0, 500).wrId(2).signaled());
      p.qa.postSend(p.toB(p.a.wr.send()).sge(p.a.mr, 0, 501).wrId(3));
      p.run();
      assertEquals(List.of(WcStatus.SUCCESS, WcStatus.SUCCESS, WcStatus.LOC_LEN_ERR),
          p.a.sent().stream().map(WorkCompletion::status).toList());
      assertEquals(GRH + 1024, p.a.oneReceived().byteLen());
      assertEquals(GRH + 500, p.b.oneReceived().byteLen());
    }
  }

  @Test
  void shouldDropAndCountWhatHasNoReceiveOrDoesNotFitIt() {
    try (TypedPair p = TypedPair.of(QpType.UD)) {
      p.qa.postSend(p.toB(p.a.wr.send()).sge(p.a.mr, 0, 61).signaled());
      p.run();
      assertEquals(1, p.b.counters().receivesMissing());
      p.post(1, 0, GRH + 60);
      p.qa.postSend(p.toB(p.a.wr.send()).sge(p.a.mr, 0, 61).signaled());
      p.run();
      assertTrue(p.b.received().isEmpty());
      assertEquals(2, p.b.counters().messagesDropped());
      p.qa.postSend(p.toB(p.a.wr.send()).sge(p.a.mr, 0, 60).signaled());
      p.run();
      assertEquals(1, p.b.oneReceived().wrId(), "the receive was kept");
      assertEquals(3, p.a.sent().size(), "the sender never hears of it");
      assertEquals(0, p.a.counters().packetsReceived());
    }
  }

  @Test
  void shouldReachAnyQueuePairFromOneAndBeReachedByItself() {
    try (TypedPair p = TypedPair.of(QpType.UD)) {
      QueuePair other = TypedPair.create(QpType.UD, p.b);
      TypedPair.toRts(other, p.a, p.qa);
      p.post(1, 0, 100);
      other.postReceive(p.b.rr.receive(2).sge(p.b.mr, 100, 100));
      p.qa.postReceive(p.a.rr.receive(3).sge(p.a.mr, 100, 100));
      AddressHandle own = p.a.hca.createAh(p.a.pd, p.a.hca.lid(), 0);
      p.qa.postSend(p.toB(p.a.wr.send()).sge(p.a.mr, 0, 1));
      p.qa.postSend(p.a.wr.send().sge(p.a.mr, 0, 2).to(p.aToB(), other.qpNum(), TypedPair.QKEY));
      p.qa.postSend(p.a.wr.send().inline(MemorySegment.ofArray(new byte[3])).to(own, p.qa.qpNum(), TypedPair.QKEY));
      p.run();
      assertEquals(List.of(41, 42), p.b.received().stream().map(WorkCompletion::byteLen).toList());
      assertEquals(43, p.a.oneReceived().byteLen());
    }
  }

  @Test
  void shouldIgnorePacketsOfOtherServices() {
    try (TypedPair p = TypedPair.of(QpType.UD)) {
      p.post(1, 0, 100);
      p.forge(Opcode.RC_SEND_ONLY, 100, new byte[8]);
      p.forge(Opcode.UC_SEND_ONLY, 100, new byte[8]);
      assertTrue(p.b.received().isEmpty());
      p.forge(Opcode.UD_SEND_ONLY, 5, new byte[8]);
      assertEquals(48, p.b.oneReceived().byteLen());
    }
  }

  @Test
  void shouldRefuseRequestsWithoutAUsableAddress() {
    try (TypedPair p = TypedPair.of(QpType.UD)) {
      AddressHandle gone = p.aToB();
      p.a.hca.destroyAh(gone);
      ProtectionDomain foreign = p.a.hca.allocPd();
      AddressHandle otherPd = p.a.hca.createAh(foreign, p.b.hca.lid(), 0);
      AddressHandle group = p.a.hca.createAh(p.a.pd, 0xc005, 0);
      for (WorkRequest request : List.of(new WorkRequest().send(), new WorkRequest().send().to(gone, 5, 0),
          new WorkRequest().send().to(otherPd, 5, 0), new WorkRequest().send().to(p.aToB(), 1 << 24, 0),
          new WorkRequest().send().to(p.aToB(), -1, 0), new WorkRequest().send().to(group, 5, 0),
          new WorkRequest().write(0, 0).to(p.aToB(), 5, 0))) {
        refused(VerbsException.Errno.EINVAL, () -> p.qa.postSend(request));
      }
      assertEquals(0, p.qa.sendQueueSize());
      refused(VerbsException.Errno.EINVAL, () -> p.a.hca.destroyAh(gone));
      refused(VerbsException.Errno.EINVAL, () -> p.a.hca.createAh(p.a.pd, 0, 0));
      refused(VerbsException.Errno.EINVAL, () -> p.a.hca.createAh(p.a.pd, 0xffff, 0));
      refused(VerbsException.Errno.EINVAL, () -> p.a.hca.createAh(p.a.pd, 1, 16));
      refused(VerbsException.Errno.EINVAL, () -> p.a.hca.createAh(p.b.pd, 1, 0));
      refused(VerbsException.Errno.EBUSY, () -> p.a.hca.deallocPd(foreign));
      p.a.hca.destroyAh(otherPd);
      p.a.hca.deallocPd(foreign);
    }
  }

  @Test
  void shouldGoToErrorWhenAReceiveNamesMemoryItMayNotWrite() {
    try (TypedPair p = TypedPair.of(QpType.UD)) {
      p.qb.postReceive(p.b.rr.receive(1).sge(p.b.mr.addr(), 100, p.b.mr.lkey() + 1));
      p.qa.postSend(p.toB(p.a.wr.send()).sge(p.a.mr, 0, 8));
      p.run();
      assertEquals(WcStatus.LOC_PROT_ERR, p.b.oneReceived().status());
      assertEquals(QpState.ERR, p.qb.state());
      assertFalse(Packet.isMulticast(p.b.hca.lid()));
    }
  }
}
