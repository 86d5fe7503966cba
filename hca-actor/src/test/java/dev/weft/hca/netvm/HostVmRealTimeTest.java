package dev.weft.hca.netvm;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.typesafe.config.ConfigFactory;
import dev.weft.hca.node.LocalFabric;
import dev.weft.hca.verbs.Access;
import dev.weft.hca.verbs.CompletionQueue;
import dev.weft.hca.verbs.Hca;
import dev.weft.hca.verbs.MemoryRegion;
import dev.weft.hca.verbs.MrAdvice;
import dev.weft.hca.verbs.ProtectionDomain;
import dev.weft.hca.verbs.QpAttr;
import dev.weft.hca.verbs.QpInitAttr;
import dev.weft.hca.verbs.QueuePair;
import dev.weft.hca.verbs.ReceiveContext;
import dev.weft.hca.verbs.VerbsException;
import dev.weft.hca.verbs.WcStatus;
import dev.weft.hca.verbs.WorkCompletion;
import dev.weft.hca.verbs.WorkRequest;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The host's memory on a file, used by several threads and by the HCA. */
@Tag("actor")
@Timeout(240)
class HostVmRealTimeTest {
  private static final int PAGE = 4096;
  private static final int PAGES = 64;

  @TempDir private Path directory;

  private HostVm vm(int frames) throws Exception {
    NetVmSettings settings = new NetVmSettings(PAGE, frames, 1024, 4, 64, 1L << 28);
    return new HostVm(settings, new FileBackingStore(directory.resolve("pages"), PAGE), VmProcessor.DIRECT);
  }

  @Test
  void shouldKeepWhatThreadsWriteWhilePagesComeAndGo() throws Exception {
    try (HostVm vm = vm(8)) {
      AddressSpace space = vm.createSpace();
      space.map(space.base(), (long) PAGES * PAGE);
      Thread[] threads = new Thread[3];
      CountDownLatch good = new CountDownLatch(threads.length);
      for (int t = 0; t < threads.length; t++) {
        int own = t;
        threads[t] = Thread.ofPlatform().start(() -> {
          writeAndRead(space, own, threads.length);
          good.countDown();
        });
      }
      for (Thread thread : threads) {
        thread.join();
      }
      assertEquals(0, good.getCount(), "a thread found other bytes than it wrote");
      assertTrue(vm.snapshot().pageOuts() > 0);
      while (vm.snapshot().spaces().getFirst().lockedPages() > 0) {
        Thread.onSpinWait(); // A page that was waited for stays locked until all who waited have been told.
      }
    }
  }

  /** Each thread has pages of its own, in turn. */
  private static void writeAndRead(AddressSpace space, int own, int threads) {
    Random random = new Random(own);
    byte[][] model = new byte[PAGES][];
    for (int i = 0; i < 600; i++) {
      int page = own + threads * random.nextInt(PAGES / threads);
      long at = space.base() + (long) page * PAGE;
      byte[] seen = new byte[PAGE];
      space.read(at, MemorySegment.ofArray(seen));
      assertArrayEquals(model[page] == null ? new byte[PAGE] : model[page], seen);
      byte[] bytes = new byte[PAGE];
      random.nextBytes(bytes);
      space.write(at, MemorySegment.ofArray(bytes));
      model[page] = bytes;
    }
  }

  @Test
  void shouldReportMemoryThatIsNotMapped() throws Exception {
    try (HostVm vm = vm(8)) {
      AddressSpace space = vm.createSpace();
      MemorySegment name = space.map(space.base(), 10);
      assertEquals(PAGE, name.byteSize());
      assertThrows(IllegalStateException.class, () -> space.read(space.base() + PAGE, MemorySegment.ofArray(new byte[1])));
      assertThrows(IllegalStateException.class, () -> space.map(space.base(), 1));
      assertThrows(IllegalArgumentException.class, () -> space.map(space.base() - PAGE, 1));
    }
  }

  @Test
  void shouldTransferToAndFromPagesOfAFile() throws Exception {
    try (LocalFabric fabric = LocalFabric.start(ConfigFactory.parseString("weft.hca.pin-memory = false"));
        HostVm vm = vm(8)) {
      Side near = new Side(fabric.addNode("near").hca());
      Side far = new Side(fabric.addNode("far").hca());
      far.hca.attachVm(vm);
      AddressSpace space = vm.createSpace();
      MemoryRegion unpinned = far.hca.regMr(far.pd, space.map(space.base(), (long) PAGES * PAGE), Access.ALL | Access.ON_DEMAND);
      near.connect(far);
      far.connect(near);
      near.ready();
      far.ready();
      Random random = new Random(4);
      byte[] model = new byte[PAGES * PAGE];
      for (int i = 0; i < 400; i++) {
        int length = 1 + random.nextInt(8000);
        int at = random.nextInt(model.length - length);
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        System.arraycopy(bytes, 0, model, at, length);
        MemorySegment.copy(bytes, 0, near.memory, ValueLayout.JAVA_BYTE, 0, length);
        near.transfer(new WorkRequest().write(unpinned.addr() + at, unpinned.rkey()).sge(near.mr, 0, length));
      }
      near.transfer(new WorkRequest().read(unpinned.addr(), unpinned.rkey()).sge(near.mr, 0, model.length));
      assertArrayEquals(model, near.memory.asSlice(0, model.length).toArray(ValueLayout.JAVA_BYTE));
      byte[] local = new byte[model.length];
      space.read(space.base(), MemorySegment.ofArray(local));
      assertArrayEquals(model, local);
      assertTrue(far.hca.inspectVm().redirect().redirectedPackets() > 0);
      assertEquals(0, near.hca.inspect().counters().rnrNaksReceived());
      assertEquals(0, near.hca.inspect().counters().timeouts());
    }
  }

  @Test
  void shouldWaitForPagesThatAreAdvised() throws Exception {
    try (LocalFabric fabric = LocalFabric.start(ConfigFactory.parseString("weft.hca.pin-memory = false"));
        HostVm vm = vm(32)) {
      Side side = new Side(fabric.addNode("node").hca());
      side.hca.attachVm(vm);
      AddressSpace space = vm.createSpace();
      MemorySegment name = space.map(space.base(), (long) PAGES * PAGE);
      MemoryRegion mr = side.hca.regMr(side.pd, name, Access.ALL | Access.ON_DEMAND);
      for (int page = 0; page < PAGES; page++) {
        space.write(space.base() + (long) page * PAGE, MemorySegment.ofArray(new byte[] {(byte) page}));
      }
      for (int first = 0; first < PAGES; first += 16) {
        side.hca.adviseMr(side.pd, MrAdvice.PREFETCH, true, mr, (long) first * PAGE, 16L * PAGE);
        assertTrue(space.isResident(space.base() + (long) first * PAGE, 16L * PAGE), "half of what fits is there when the call returns");
      }
      side.hca.adviseMr(side.pd, MrAdvice.PREFETCH_WRITE, true, mr, 0, (long) PAGES * PAGE);
      assertEquals(32, vm.snapshot().spaces().getFirst().residentPages(), "twice as much as fits has been there");
      assertEquals(VerbsException.Errno.EINVAL, side.hca.onHardware(() -> assertThrows(VerbsException.class,
          () -> side.hca.adviseMr(side.pd, MrAdvice.PREFETCH, true, mr, 0, PAGE))).errno(), "the hardware thread cannot wait");
      space.unmap(space.base() + PAGE, PAGE, () -> {});
      assertEquals(VerbsException.Errno.EFAULT, assertThrows(VerbsException.class,
          () -> side.hca.adviseMr(side.pd, MrAdvice.PREFETCH, true, mr, 0, 2L * PAGE)).errno());
      side.hca.adviseMr(side.pd, MrAdvice.PREFETCH_NO_FAULT, true, mr, 0, 2L * PAGE);
    }
  }

  private static final class Side {
    final Hca hca;
    final ProtectionDomain pd;
    final CompletionQueue cq;
    final QueuePair qp;
    final MemorySegment memory = Arena.ofAuto().allocate(PAGES * PAGE, PAGE);
    final MemoryRegion mr;

    Side(Hca hca) {
      this.hca = hca;
      pd = hca.allocPd();
      cq = hca.createCq(64, ReceiveContext.POLLING, null);
      qp = hca.createQp(pd, new QpInitAttr(cq, cq, 16, 16, 1, 1, 0, false));
      mr = hca.regMr(pd, memory, Access.ALL);
    }

    void connect(Side peer) {
      qp.modify(QpAttr.init(Access.ALL));
      qp.modify(QpAttr.rtr().destLid(peer.hca.lid()).destQpNum(peer.qp.qpNum()).rqPsn(1).pathMtu(4096));
    }

    void ready() {
      qp.modify(QpAttr.rts(1).timeout(22)); // 17 s: no pause of the machine is taken for a loss.
    }

    void transfer(WorkRequest request) {
      qp.postSend(request.signaled());
      WorkCompletion wc = new WorkCompletion();
      while (!cq.poll(wc)) {
        Thread.onSpinWait();
      }
      assertEquals(WcStatus.SUCCESS, wc.status());
    }
  }
}
