package dev.weft.hca.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.typesafe.config.ConfigFactory;
import dev.weft.fabric.memory.CutFile;
import dev.weft.fabric.packet.Packet;
import dev.weft.hca.node.LocalFabric;
import dev.weft.hca.verbs.Access;
import dev.weft.hca.verbs.AddressHandle;
import dev.weft.hca.verbs.AsyncEvent;
import dev.weft.hca.verbs.CompletionQueue;
import dev.weft.hca.verbs.DeviceMemory;
import dev.weft.hca.verbs.FlushLevel;
import dev.weft.hca.verbs.FlushType;
import dev.weft.hca.verbs.Hca;
import dev.weft.hca.verbs.MemoryRegion;
import dev.weft.hca.verbs.MrAdvice;
import dev.weft.hca.verbs.Pair;
import dev.weft.hca.verbs.ProtectionDomain;
import dev.weft.hca.verbs.QpAttr;
import dev.weft.hca.verbs.QpInitAttr;
import dev.weft.hca.verbs.QpState;
import dev.weft.hca.verbs.QpType;
import dev.weft.hca.verbs.QueueAllocator;
import dev.weft.hca.verbs.QueuePair;
import dev.weft.hca.verbs.ReceiveContext;
import dev.weft.hca.verbs.ReceiveRequest;
import dev.weft.hca.verbs.Rereg;
import dev.weft.hca.verbs.SharedReceiveQueue;
import dev.weft.hca.verbs.SrqAttr;
import dev.weft.hca.verbs.TypedPair;
import dev.weft.hca.verbs.VerbsException;
import dev.weft.hca.verbs.VerbsException.Errno;
import dev.weft.hca.verbs.WcStatus;
import dev.weft.hca.verbs.WorkCompletion;
import dev.weft.hca.verbs.WorkRequest;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A file is cut short under memory that is registered: who needs it fails, and nobody else. */
@Tag("slow")
@Tag("simulation")
@Timeout(180)
class CutFileTest {
  private static final int LENGTH = 4096;

  private final CutFile file = new CutFile();

  @AfterEach
  void close() {
    file.close();
  }

  private MemoryRegion region(Pair.Side side) {
    return side.hca.regMr(side.pd, file.memory(), 0x5000_0000L, Access.ALL);
  }

  /** Another pair of queue pairs of the two still works, out of memory that is there. */
  private static void assertOthersGoOn(Pair pair) {
    QueuePair from = pair.a.hca.createQp(pair.a.pd, QpInitAttr.of(pair.a.sendCq, 8));
    QueuePair to = pair.b.hca.createQp(pair.b.pd, QpInitAttr.of(pair.b.sendCq, 8));
    connect(from, to);
    pair.a.fill(3);
    from.postSend(new WorkRequest().write(pair.b.mr.addr(), pair.b.mr.rkey()).sge(pair.a.mr, 0, LENGTH).signaled());
    pair.run();
    assertEquals(WcStatus.SUCCESS, pair.a.oneSent().status());
    pair.assertSame(0, 0, LENGTH);
  }

  private static void connect(QueuePair one, QueuePair other) {
    one.modify(QpAttr.init(Access.ALL));
    other.modify(QpAttr.init(Access.ALL));
    one.modify(QpAttr.rtr().destLid(other.hca().lid()).destQpNum(other.qpNum()).rqPsn(8).pathMtu(1024));
    other.modify(QpAttr.rtr().destLid(one.hca().lid()).destQpNum(one.qpNum()).rqPsn(7).pathMtu(1024));
    one.modify(QpAttr.rts(7).timeout(14));
    other.modify(QpAttr.rts(8).timeout(14));
  }

  private static WcStatus status(Pair pair, WorkRequest request) {
    pair.a.send(request.signaled());
    pair.run();
    WcStatus status = pair.a.oneSent().status();
    assertOthersGoOn(pair);
    return status;
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 8, 1024, LENGTH})
  void shouldFailAWriteOutOfIt(int length) {
    try (Pair pair = Pair.connected()) {
      MemoryRegion mr = region(pair.a);
      file.cut();
      assertEquals(WcStatus.LOC_PROT_ERR, status(pair, pair.a.wr.write(pair.b.mr.addr(), pair.b.mr.rkey()).sge(mr, 0, length)));
      assertEquals(List.of(QpState.ERR, QpState.RTS), List.of(pair.a.qp.state(), pair.b.qp.state()));
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 8, 1024, LENGTH})
  void shouldFailAWriteIntoIt(int length) {
    try (Pair pair = Pair.connected()) {
      MemoryRegion mr = region(pair.b);
      file.cut();
      assertEquals(WcStatus.REM_ACCESS_ERR, status(pair, pair.a.wr.write(mr.addr(), mr.rkey()).sge(pair.a.mr, 0, length)));
      assertTrue(pair.b.events().stream().anyMatch(event -> event.type() == AsyncEvent.Type.QP_ACCESS_ERR));
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 8, 1024, LENGTH})
  void shouldFailAReadOutOfIt(int length) {
    try (Pair pair = Pair.connected()) {
      MemoryRegion mr = region(pair.b);
      file.cut();
      assertEquals(WcStatus.REM_ACCESS_ERR, status(pair, pair.a.wr.read(mr.addr(), mr.rkey()).sge(pair.a.mr, 0, length)));
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 8, 1024, LENGTH})
  void shouldFailAReadIntoIt(int length) {
    try (Pair pair = Pair.connected()) {
      MemoryRegion mr = region(pair.a);
      file.cut();
      assertEquals(WcStatus.LOC_PROT_ERR, status(pair, pair.a.wr.read(pair.b.mr.addr(), pair.b.mr.rkey()).sge(mr, 0, length)));
    }
  }

  @Test
  void shouldFailWhereAMessageComesToWhatIsGone() {
    int left = 8192;
    file.cutTo(left);
    for (boolean isRead : new boolean[] {true, false}) {
      for (boolean isPeers : new boolean[] {true, false}) {
        try (Pair pair = Pair.connected()) {
          MemoryRegion mr = pair.a.hca.regMr(pair.a.pd, file.memory(), Access.ALL | Access.ON_DEMAND);
          MemoryRegion far = pair.b.hca.regMr(pair.b.pd, file.memory(), Access.ALL | Access.ON_DEMAND);
          MemoryRegion local = isPeers ? pair.a.mr : mr;
          MemoryRegion remote = isPeers ? far : pair.b.mr;
          int whole = CutFile.BYTES;
          WorkRequest request = isRead ? pair.a.wr.read(remote.addr(), remote.rkey()) : pair.a.wr.write(remote.addr(), remote.rkey());
          assertEquals(isPeers ? WcStatus.REM_ACCESS_ERR : WcStatus.LOC_PROT_ERR, status(pair, request.sge(local, 0, whole)));
        }
        try (Pair pair = Pair.connected()) {
          MemoryRegion mr = pair.a.hca.regMr(pair.a.pd, file.memory(), Access.ALL | Access.ON_DEMAND);
          WorkRequest request = isRead ? pair.a.wr.read(pair.b.mr.addr(), pair.b.mr.rkey()) : pair.a.wr.write(pair.b.mr.addr(), pair.b.mr.rkey());
          assertEquals(WcStatus.SUCCESS, status(pair, request.sge(mr, 0, left)), "the rest of the region is as good as before");
        }
      }
    }
  }

  @Test
  void shouldFailASend() {
    try (Pair pair = Pair.connected()) {
      MemoryRegion mr = region(pair.a);
      file.cut();
      pair.b.post(1, 0, LENGTH);
      pair.a.send(pair.a.wr.send().sge(mr, 0, LENGTH).signaled());
      pair.run();
      assertEquals(WcStatus.LOC_PROT_ERR, pair.a.oneSent().status());
      assertTrue(pair.b.received().isEmpty());
    }
  }

  @Test
  void shouldFailAReceive() {
    try (Pair pair = Pair.connected()) {
      MemoryRegion mr = region(pair.b);
      file.cut();
      pair.b.qp.postReceive(pair.b.rr.receive(1).sge(mr, 0, LENGTH));
      pair.a.send(pair.a.wr.send().sge(pair.a.mr, 0, LENGTH).signaled());
      pair.run();
      assertEquals(WcStatus.REM_OP_ERR, pair.a.oneSent().status());
      assertEquals(WcStatus.LOC_PROT_ERR, pair.b.oneReceived().status());
      assertOthersGoOn(pair);
    }
  }

  @Test
  void shouldFailOnlyTheReceiveThatWasTakenOutOfASharedQueue() {
    try (Pair pair = new Pair()) {
      MemoryRegion mr = region(pair.b);
      file.cut();
      SharedReceiveQueue srq = pair.b.hca.createSrq(pair.b.pd, new SrqAttr(8, 2, 0));
      srq.postReceive(List.of(new ReceiveRequest().receive(1).sge(mr, 0, LENGTH), new ReceiveRequest().receive(2).sge(pair.b.mr, 0, LENGTH)));
      for (WcStatus wanted : new WcStatus[] {WcStatus.LOC_PROT_ERR, WcStatus.SUCCESS}) {
        QueuePair from = pair.a.hca.createQp(pair.a.pd, QpInitAttr.of(pair.a.sendCq, 8));
        QueuePair to = pair.b.hca.createQp(pair.b.pd, new QpInitAttr(pair.b.sendCq, pair.b.recvCq, 8, 0, 2, 0, 0, false).withSrq(srq));
        connect(from, to);
        from.postSend(new WorkRequest().send().sge(pair.a.mr, 0, LENGTH).signaled());
        pair.run();
        assertEquals(wanted, pair.b.oneReceived().status());
      }
    }
  }

  @Test
  void shouldFailAtomics() {
    for (boolean isSwap : new boolean[] {true, false}) {
      for (boolean isPeers : new boolean[] {true, false}) {
        try (Pair pair = Pair.connected(); CutFile other = new CutFile()) {
          MemoryRegion mr = pair.a.hca.regMr(pair.a.pd, other.memory(), Access.ALL);
          MemoryRegion far = pair.b.hca.regMr(pair.b.pd, other.memory(), Access.ALL);
          other.cut();
          MemoryRegion remote = isPeers ? far : pair.b.mr;
          WorkRequest request = isSwap ? pair.a.wr.compareAndSwap(remote.addr(), remote.rkey(), 0, 1)
              : pair.a.wr.fetchAndAdd(remote.addr(), remote.rkey(), 1);
          assertEquals(isPeers ? WcStatus.REM_ACCESS_ERR : WcStatus.LOC_PROT_ERR, status(pair, request.sge(isPeers ? pair.a.mr : mr, 0, 8)));
        }
      }
    }
  }

  @Test
  void shouldFailAWriteOfAWord() {
    for (boolean isPeers : new boolean[] {true, false}) {
      try (Pair pair = Pair.connected(); CutFile other = new CutFile()) {
        MemoryRegion mr = pair.a.hca.regMr(pair.a.pd, other.memory(), Access.ALL);
        MemoryRegion far = pair.b.hca.regMr(pair.b.pd, other.memory(), Access.ALL);
        other.cut();
        MemoryRegion remote = isPeers ? far : pair.b.mr;
        assertEquals(isPeers ? WcStatus.REM_ACCESS_ERR : WcStatus.LOC_PROT_ERR,
            status(pair, pair.a.wr.atomicWrite(remote.addr(), remote.rkey()).sge(isPeers ? pair.a.mr : mr, 0, 8)));
      }
    }
  }

  @Test
  void shouldSurviveAFlushOfIt() {
    try (Pair pair = Pair.with("weft.hca.persistent-flush = on").connect(attr -> {})) {
      MemoryRegion mr = pair.b.hca.regMr(pair.b.pd, file.memory(), Access.ALL | Access.FLUSH_PERSISTENT | Access.FLUSH_GLOBAL);
      file.cut();
      pair.a.send(pair.a.wr.flush(mr.addr(), mr.rkey(), LENGTH, FlushType.GLOBAL, FlushLevel.RANGE).signaled());
      pair.run();
      pair.a.sent();
      assertOthersGoOn(pair);
    }
  }

  @Test
  void shouldFailInlineDataInTheQueuesOwnMemory() {
    for (QpType type : new QpType[] {QpType.RC, QpType.UC}) {
      try (Pair pair = new Pair(); CutFile other = new CutFile()) {
        QueueAllocator allocator = new QueueAllocator() {
          @Override
          public MemorySegment allocate(long sizeBytes, long alignment) {
            return other.memory().asSlice(0, sizeBytes);
          }

          @Override
          public void free(MemorySegment memory) {}
        };
        QueuePair from = pair.a.hca.createQp(pair.a.hca.allocParentDomain(pair.a.pd, allocator),
            new QpInitAttr(pair.a.sendCq, pair.a.recvCq, 8, 8, 1, 1, 64, false).withType(type));
        QueuePair to = TypedPair.create(type, pair.b);
        if (type == QpType.RC) {
          connect(from, to);
        } else {
          TypedPair.toRts(from, pair.b, to);
          TypedPair.toRts(to, pair.a, from);
        }
        to.modify(new QpAttr().state(QpState.ERR)); // The bytes are looked at when the request is sent again.
        from.postSend(new WorkRequest().write(pair.b.mr.addr(), pair.b.mr.rkey()).inline(pair.a.memory.asSlice(0, 64)).signaled());
        other.cut();
        pair.run();
        assertEquals(WcStatus.LOC_PROT_ERR, pair.a.oneSent().status(), type.toString());
      }
    }
  }

  @ParameterizedTest
  @EnumSource(value = QpType.class, names = {"UC", "UD"})
  void shouldFailAnUnreliableSend(QpType type) {
    try (TypedPair pair = TypedPair.of(type)) {
      MemoryRegion mr = region(pair.a);
      file.cut();
      pair.post(1, 0, LENGTH);
      pair.qa.postSend(pair.toB(pair.a.wr.send().sge(mr, 0, 500).signaled()));
      pair.run();
      assertEquals(WcStatus.LOC_PROT_ERR, pair.a.oneSent().status());
      assertEquals(QpState.SQE, pair.qa.state());
      assertTrue(pair.b.received().isEmpty());
      assertOthersGoOn(pair.pair);
    }
  }

  @ParameterizedTest
  @EnumSource(value = QpType.class, names = {"UC", "UD"})
  void shouldFailAnUnreliableReceive(QpType type) {
    try (TypedPair pair = TypedPair.of(type)) {
      MemoryRegion mr = region(pair.b);
      file.cut();
      pair.qb.postReceive(pair.b.rr.receive(1).sge(mr, 0, LENGTH));
      pair.qa.postSend(pair.toB(pair.a.wr.send().sge(pair.a.mr, 0, 500).signaled()));
      pair.run();
      assertEquals(WcStatus.SUCCESS, pair.a.oneSent().status());
      assertEquals(WcStatus.LOC_PROT_ERR, pair.b.oneReceived().status());
      assertOthersGoOn(pair.pair);
    }
  }

  @Test
  void shouldDropAnUnreliableWriteIntoIt() {
    try (TypedPair pair = TypedPair.of(QpType.UC)) {
      MemoryRegion mr = region(pair.b);
      file.cut();
      pair.qa.postSend(pair.a.wr.write(mr.addr(), mr.rkey()).sge(pair.a.mr, 0, LENGTH).signaled());
      pair.run();
      assertEquals(WcStatus.SUCCESS, pair.a.oneSent().status());
      assertTrue(pair.b.counters().messagesDropped() > 0);
      assertEquals(QpState.RTS, pair.qb.state());
    }
  }

  @Test
  void shouldFailOnlyTheMemberOfAGroupThatNeedsIt() {
    try (TypedPair p = TypedPair.of(QpType.UD)) {
      QueuePair second = TypedPair.create(QpType.UD, p.b);
      TypedPair.toRts(second, p.a, p.qa);
      MemoryRegion mr = region(p.b);
      file.cut();
      p.qb.postReceive(p.b.rr.receive(1).sge(mr, 0, LENGTH));
      second.postReceive(p.b.rr.receive(2).sge(p.b.mr, 0, LENGTH));
      CompletableFuture<Integer> lid = p.b.node.joinMulticast("news", false).toCompletableFuture();
      p.pair.runUntil(lid::isDone);
      p.b.hca.attachMulticast(p.qb, lid.join());
      p.b.hca.attachMulticast(second, lid.join());
      CompletableFuture<Integer> sender = p.a.node.joinMulticast("news", true).toCompletableFuture();
      p.pair.runUntil(sender::isDone);
      AddressHandle group = p.a.hca.createAh(p.a.pd, lid.join(), 0);
      p.qa.postSend(p.a.wr.send().sge(p.a.mr, 0, 500).to(group, Packet.MULTICAST_QP, TypedPair.QKEY));
      p.run();
      assertEquals(List.of("1 LOC_PROT_ERR", "2 SUCCESS"),
          p.b.received().stream().map(wc -> wc.wrId() + " " + wc.status()).sorted().toList());
    }
  }

  private static void refused(Runnable verb) {
    VerbsException refused = assertThrows(VerbsException.class, verb::run);
    assertEquals(Errno.EFAULT, refused.errno());
    assertTrue(refused.getMessage().contains("have no pages: the file that is mapped there was truncated"), refused.getMessage());
  }

  @Test
  void shouldBeRefusedWhereTheCallerTouchesIt() {
    try (Pair pair = Pair.with("weft.hca.pin-memory = true").connect(attr -> {})) {
      MemoryRegion mr = region(pair.a);
      DeviceMemory device = pair.a.hca.allocDm(LENGTH);
      file.cut();
      long locked = PageLocks.lockedPages();
      refused(() -> pair.a.hca.regMr(pair.a.pd, file.memory(), Access.ALL));
      refused(() -> pair.a.hca.reregMr(pair.a.mr, Rereg.TRANSLATION, null, file.memory(), 0, 0));
      assertEquals(locked, PageLocks.lockedPages());
      refused(() -> pair.a.hca.adviseMr(pair.a.pd, MrAdvice.PREFETCH, true, mr, 0, LENGTH));
      refused(() -> pair.a.hca.adviseMr(pair.a.pd, MrAdvice.PREFETCH_WRITE, true, mr, 0, LENGTH));
      refused(() -> device.copyTo(0, file.memory().asSlice(0, LENGTH)));
      refused(() -> device.copyFrom(0, file.memory().asSlice(0, LENGTH)));
      int taken = pair.a.qp.sendSlotsTaken();
      refused(() -> pair.a.send(pair.a.wr.write(pair.b.mr.addr(), pair.b.mr.rkey()).inline(file.memory().asSlice(0, 64))));
      assertEquals(taken, pair.a.qp.sendSlotsTaken());
      assertOthersGoOn(pair);
    }
  }

  /** Compiled code raises the error late, so each way is gone often before the file is cut. */
  @ParameterizedTest
  @ValueSource(strings = {"READ", "READ_INTO", "WRITE", "WRITE_OUT_OF", "ADD", "SWAP"})
  void shouldFailInCodeThatIsCompiledToo(String kind) throws Exception {
    try (LocalFabric fabric = LocalFabric.start(ConfigFactory.parseString("weft.hca.pin-memory = false"))) {
      Hca a = fabric.addNode("a").hca();
      Hca b = fabric.addNode("b").hca();
      ProtectionDomain pdA = a.allocPd();
      ProtectionDomain pdB = b.allocPd();
      CompletionQueue cq = a.createCq(256, ReceiveContext.POLLING, null);
      QueuePair other = connected(a, pdA, b, pdB, cq);
      MemoryRegion cutA = a.regMr(pdA, file.memory(), Access.ALL);
      MemoryRegion cutB = b.regMr(pdB, file.memory(), Access.ALL);
      MemoryRegion goodA = a.regMr(pdA, Arena.ofAuto().allocate(LENGTH, 64), Access.ALL);
      MemoryRegion goodB = b.regMr(pdB, Arena.ofAuto().allocate(LENGTH, 64), Access.ALL);
      Supplier<WorkRequest> request = () -> switch (kind) {
        case "READ" -> new WorkRequest().read(cutB.addr(), cutB.rkey()).sge(goodA, 0, LENGTH);
        case "READ_INTO" -> new WorkRequest().read(goodB.addr(), goodB.rkey()).sge(cutA, 0, LENGTH);
        case "WRITE" -> new WorkRequest().write(cutB.addr(), cutB.rkey()).sge(goodA, 0, LENGTH);
        case "ADD" -> new WorkRequest().fetchAndAdd(cutB.addr(), cutB.rkey(), 1).sge(goodA, 0, 8);
        case "SWAP" -> new WorkRequest().compareAndSwap(cutB.addr(), cutB.rkey(), 1, 2).sge(goodA, 0, 8);
        default -> new WorkRequest().write(goodB.addr(), goodB.rkey()).sge(cutA, 0, LENGTH);
      };
      Consumer<WcStatus> isGood = status -> assertEquals(WcStatus.SUCCESS, status);
      QueuePair qp = connected(a, pdA, b, pdB, cq);
      for (int i = 0; i < 2000; i++) {
        for (int j = 0; j < 50; j++) {
          qp.postSend(request.get().signaled());
        }
        for (int j = 0; j < 50; j++) {
          isGood.accept(next(cq));
        }
      }
      file.cut();
      WcStatus wanted = kind.equals("WRITE_OUT_OF") || kind.equals("READ_INTO") ? WcStatus.LOC_PROT_ERR : WcStatus.REM_ACCESS_ERR;
      for (int i = 0; i < 3; i++) {
        qp.postSend(request.get().signaled());
        assertEquals(wanted, next(cq));
        other.postSend(new WorkRequest().write(goodB.addr(), goodB.rkey()).sge(goodA, 0, LENGTH).signaled());
        isGood.accept(next(cq));
        qp = connected(a, pdA, b, pdB, cq);
      }
    }
  }

  private static QueuePair connected(Hca a, ProtectionDomain pdA, Hca b, ProtectionDomain pdB, CompletionQueue cq) {
    QueuePair from = a.createQp(pdA, QpInitAttr.of(cq, 64));
    QueuePair to = b.createQp(pdB, QpInitAttr.of(b.createCq(16, ReceiveContext.POLLING, null), 64));
    connect(from, to);
    return from;
  }

  private static WcStatus next(CompletionQueue cq) throws InterruptedException {
    WorkCompletion wc = new WorkCompletion();
    while (!cq.poll(wc)) {
      Thread.sleep(0, 1000);
    }
    return wc.status();
  }
}
