package dev.weft.hca.memory;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.fabric.link.LinkFaults;
import dev.weft.hca.verbs.Access;
import dev.weft.hca.verbs.Hca;
import dev.weft.hca.verbs.MemoryRegion;
import dev.weft.hca.verbs.MemoryWindow;
import dev.weft.hca.verbs.MrAdvice;
import dev.weft.hca.verbs.MwBind;
import dev.weft.hca.verbs.Pair;
import dev.weft.hca.verbs.ParentDomain;
import dev.weft.hca.verbs.ProtectionDomain;
import dev.weft.hca.verbs.QpAttr;
import dev.weft.hca.verbs.QpInitAttr;
import dev.weft.hca.verbs.QueueAllocator;
import dev.weft.hca.verbs.QueuePair;
import dev.weft.hca.verbs.ReceiveRequest;
import dev.weft.hca.verbs.Rereg;
import dev.weft.hca.verbs.SendFlags;
import dev.weft.hca.verbs.SharedReceiveQueue;
import dev.weft.hca.verbs.SrqAttr;
import dev.weft.hca.verbs.UnpinnedPair;
import dev.weft.hca.verbs.VerbsException;
import dev.weft.hca.verbs.VerbsException.Errno;
import dev.weft.hca.verbs.WcStatus;
import dev.weft.hca.verbs.WorkRequest;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What memory that is not pinned cannot do, and the copies that it costs. */
@Tag("simulation")
class UnpinnedPlacementTest {
  private static final int PAGE = UnpinnedPair.PAGE;

  @ParameterizedTest(name = "resident {0}")
  @ValueSource(booleans = {true, false})
  void shouldRefuseAnAtomicWriteToUnpinnedMemory(boolean resident) {
    try (UnpinnedPair vm = new UnpinnedPair(8, 64)) {
      byte[] before = {1, 2, 3, 4, 5, 6, 7, 8};
      vm.poke(3 * PAGE, before);
      if (!resident) {
        vm.push(20, 16);
      }
      assertEquals(resident, vm.isResident(3));
      vm.pair.a.fill(9);
      vm.pair.a.send(vm.pair.a.wr.atomicWrite(vm.va(3 * PAGE), vm.mr.rkey()).sge(vm.pair.a.mr, 0, 8).signaled());
      vm.pair.run();
      assertEquals(WcStatus.REM_OP_ERR, vm.pair.a.oneSent().status());
      assertEquals(0, vm.pair.b.counters().atomicWritesExecuted());
      assertArrayEquals(before, vm.peek(3 * PAGE, 8));
    }
  }

  @Test
  void shouldTakeTheWordOfAnAtomicWriteFromUnpinnedMemory() {
    try (UnpinnedPair vm = new UnpinnedPair(8, 64)) {
      byte[] word = {1, 2, 3, 4, 5, 6, 7, 8};
      vm.poke(3 * PAGE, word);
      vm.push(20, 16);
      assertFalse(vm.isResident(3));
      vm.pair.b.send(vm.pair.b.wr.atomicWrite(vm.pair.a.mr.addr(), vm.pair.a.mr.rkey()).sge(vm.mr, 3 * PAGE, 8).signaled());
      vm.pair.run();
      assertEquals(WcStatus.SUCCESS, vm.pair.b.oneSent().status());
      assertArrayEquals(word, vm.ofA(0, 8));
    }
  }

  @Test
  void shouldNotLetUnpinnedMemoryGrantAFlush() {
    try (UnpinnedPair vm = new UnpinnedPair(8, 64)) {
      int access = Access.ALL | Access.ON_DEMAND | Access.FLUSH_GLOBAL;
      VerbsException refused = assertThrows(VerbsException.class, () -> vm.pair.b.hca.regMr(vm.pair.b.pd, vm.name, access));
      assertEquals(Errno.EINVAL, refused.errno());
      assertThrows(VerbsException.class, () -> vm.pair.b.hca.reregMr(vm.mr, Rereg.ACCESS, null, null, 0, access));
    }
  }

  @Test
  void shouldNotMoveBetweenUnpinnedAndOtherMemory() {
    try (UnpinnedPair vm = new UnpinnedPair(8, 64)) {
      Hca hca = vm.pair.b.hca;
      int changes = Rereg.TRANSLATION;
      assertThrows(VerbsException.class, () -> hca.reregMr(vm.mr, changes, null, vm.pair.b.memory, 0, 0));
      assertThrows(VerbsException.class, () -> hca.reregMr(vm.pair.b.mr, changes, null, vm.name, 0, 0));
    }
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource({"PREFETCH, false, true", "PREFETCH_WRITE, false, true", "PREFETCH_NO_FAULT, true, false"})
  void shouldBringInWhatIsAdvised(MrAdvice advice, boolean wait, boolean comes) {
    try (UnpinnedPair vm = new UnpinnedPair(8, 64)) {
      vm.pair.b.hca.adviseMr(vm.pair.b.pd, advice, wait, vm.mr, 3 * PAGE, PAGE);
      vm.pair.run();
      assertEquals(comes, vm.isResident(3));
    }
  }

  /** Windows, peers' invalidation, and regions that start at zero do not care where the pages are. */
  @ParameterizedTest
  @EnumSource(MemoryWindow.Type.class)
  void shouldBindWindowsToUnpinnedMemory(MemoryWindow.Type type) {
    try (UnpinnedPair vm = new UnpinnedPair(8, 64)) {
      Pair.Side b = vm.pair.b;
      MemoryRegion region = b.hca.regMr(b.pd, vm.name, Access.LOCAL_WRITE | Access.MW_BIND | Access.ON_DEMAND);
      MemoryWindow window = b.hca.allocMw(b.pd, type);
      boolean first = type == MemoryWindow.Type.TYPE_1;
      int key = first ? 0 : window.nextRkey();
      MwBind bind = new MwBind(window, key, region, region.addr() + 6L * PAGE, PAGE, Access.REMOTE_WRITE | Access.REMOTE_READ | Access.REMOTE_ATOMIC);
      if (first) {
        b.hca.bindMw(b.qp, bind, 50, SendFlags.SIGNALED);
      } else {
        b.send(new WorkRequest().bindMw(bind).signaled());
      }
      vm.pair.run();
      assertEquals(WcStatus.SUCCESS, b.oneSent().status());
      vm.push(6, 1);
      vm.push(20, 16);
      vm.pair.a.fill(4);
      assertFalse(vm.isResident(6));
      vm.pair.a.send(new WorkRequest().write(region.addr() + 6L * PAGE + 10, window.rkey()).sge(vm.pair.a.mr, 0, 2000).signaled());
      vm.pair.run();
      assertEquals(WcStatus.SUCCESS, vm.pair.a.oneSent().status());
      assertArrayEquals(vm.ofA(0, 2000), vm.peek(6 * PAGE + 10, 2000));
      vm.pair.a.send(new WorkRequest().write(region.addr() + 7L * PAGE, window.rkey()).sge(vm.pair.a.mr, 0, 8).signaled());
      vm.pair.run();
      assertEquals(WcStatus.REM_ACCESS_ERR, vm.pair.a.oneSent().status(), "beside the window");
    }
  }

  @Test
  void shouldServeARegionThatStartsAtZero() {
    try (UnpinnedPair vm = new UnpinnedPair(8, 64)) {
      MemoryRegion region = vm.pair.b.hca.regMr(vm.pair.b.pd, vm.name, Access.ALL | Access.ON_DEMAND | Access.ZERO_BASED);
      vm.pair.a.fill(4);
      vm.pair.a.send(new WorkRequest().write(5L * PAGE, region.rkey()).sge(vm.pair.a.mr, 0, 2000).signaled());
      vm.pair.run();
      assertEquals(WcStatus.SUCCESS, vm.pair.a.oneSent().status());
      assertArrayEquals(vm.ofA(0, 2000), vm.peek(5 * PAGE, 2000));
    }
  }

  @Test
  void shouldReceiveIntoUnpinnedMemoryOfASharedQueueOfAnotherDomain() {
    try (UnpinnedPair vm = new UnpinnedPair(8, 64)) {
      Hca hca = vm.pair.b.hca;
      ProtectionDomain own = hca.allocPd();
      SharedReceiveQueue srq = hca.createSrq(vm.pair.b.pd, new SrqAttr(8, 1, 0));
      QueuePair far = hca.createQp(own, QpInitAttr.of(vm.pair.b.recvCq, 8).withSrq(srq));
      QueuePair near = vm.pair.a.hca.createQp(vm.pair.a.pd, QpInitAttr.of(vm.pair.a.sendCq, 8));
      connect(far, vm.pair.a.hca, near);
      connect(near, hca, far);
      srq.postReceive(new ReceiveRequest().receive(1).sge(vm.mr, 4 * PAGE, PAGE));
      vm.pair.a.fill(8);
      near.postSend(new WorkRequest().send().sge(vm.pair.a.mr, 0, 2000).signaled());
      vm.pair.run();
      assertEquals(WcStatus.SUCCESS, vm.pair.a.oneSent().status());
      assertEquals(2000, vm.pair.b.oneReceived().byteLen());
      assertArrayEquals(vm.ofA(0, 2000), vm.peek(4 * PAGE, 2000));
    }
  }

  private static void connect(QueuePair own, Hca peer, QueuePair peerQp) {
    own.modify(QpAttr.init(Access.ALL));
    own.modify(QpAttr.rtr().destLid(peer.lid()).destQpNum(peerQp.qpNum()).rqPsn(1).pathMtu(Pair.MTU));
    own.modify(QpAttr.rts(1));
  }

  @Test
  void shouldRefuseVirtualMemoryAsInlineData() {
    try (UnpinnedPair vm = new UnpinnedPair(8, 64)) {
      WorkRequest request = new WorkRequest().send().inline(vm.name.asSlice(0, 8)).signaled();
      VerbsException refused = assertThrows(VerbsException.class, () -> vm.pair.b.qp.postSend(request));
      assertEquals(Errno.EINVAL, refused.errno());
      assertTrue(refused.getMessage().contains("scatter/gather"), refused.getMessage());
    }
  }

  @Test
  void shouldCountRedirectedBytesAsCopiedTwice() {
    try (UnpinnedPair vm = new UnpinnedPair(8, 64)) {
      write(vm, 5);
      long redirected = vm.nic().redirect().redirectedBytes();
      assertTrue(redirected > 0 && vm.isResident(5), "redirected " + redirected);
      assertEquals(2000 + redirected, vm.pair.b.counters().bytesCopied());
      write(vm, 5);
      assertEquals(4000 + redirected, vm.pair.b.counters().bytesCopied());
    }
  }

  @Test
  void shouldLeaveNothingBehindWhenThereIsNoRoomForAnotherQueuePair() {
    List<MemorySegment> live = new ArrayList<>();
    QueueAllocator allocator = new QueueAllocator() {
      @Override
      public MemorySegment allocate(long sizeBytes, long alignment) {
        live.add(Arena.ofAuto().allocate(sizeBytes, alignment));
        return live.getLast();
      }

      @Override
      public void free(MemorySegment memory) {
        assertTrue(live.remove(memory), "freed twice, or not ours");
      }
    };
    try (UnpinnedPair vm = new UnpinnedPair(1, LinkFaults.NONE, 8, 64, 1 << 15)) {
      Hca hca = vm.pair.b.hca;
      SharedReceiveQueue srq = hca.createSrq(vm.pair.b.pd, new SrqAttr(8, 1, 0));
      ParentDomain domain = hca.allocParentDomain(vm.pair.b.pd, allocator);
      QpInitAttr attr = new QpInitAttr(vm.pair.b.sendCq, vm.pair.b.recvCq, 4, 0, 1, 0, 64, false).withSrq(srq);
      List<QueuePair> created = new ArrayList<>();
      VerbsException refused = assertThrows(VerbsException.class, () -> {
        for (int i = 0; i < 64; i++) {
          created.add(hca.createQp(domain, attr));
        }
      });
      assertEquals(Errno.ENOMEM, refused.errno());
      assertEquals(created.size(), live.size());
      created.forEach(hca::destroyQp);
      assertEquals(List.of(), live);
      hca.destroySrq(srq);
    }
  }

  private static void write(UnpinnedPair vm, int page) {
    vm.pair.a.send(new WorkRequest().write(vm.va((long) page * PAGE), vm.mr.rkey()).sge(vm.pair.a.mr, 0, 2000).signaled());
    vm.pair.run();
    assertEquals(WcStatus.SUCCESS, vm.pair.a.oneSent().status());
  }
}
