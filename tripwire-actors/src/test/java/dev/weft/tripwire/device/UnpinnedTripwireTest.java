package dev.weft.tripwire.device;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.fabric.host.DiskCosts;
import dev.weft.hca.netvm.AddressSpace;
import dev.weft.hca.netvm.HostVm;
import dev.weft.hca.netvm.NetVmSettings;
import dev.weft.hca.netvm.SimulatedBackingStore;
import dev.weft.hca.netvm.VmProcessor;
import dev.weft.hca.verbs.Access;
import dev.weft.hca.verbs.CompletionQueue;
import dev.weft.hca.verbs.Hca;
import dev.weft.hca.verbs.MemoryRegion;
import dev.weft.hca.verbs.ProtectionDomain;
import dev.weft.hca.verbs.QpAttr;
import dev.weft.hca.verbs.QpInitAttr;
import dev.weft.hca.verbs.QueuePair;
import dev.weft.hca.verbs.ReceiveContext;
import dev.weft.hca.verbs.WcStatus;
import dev.weft.hca.verbs.WorkCompletion;
import dev.weft.hca.verbs.WorkRequest;
import dev.weft.tripwire.nic.DmaQueue;
import dev.weft.tripwire.nic.LocalAperture;
import dev.weft.tripwire.nic.NicException;
import dev.weft.tripwire.nic.RemoteAperture;
import dev.weft.tripwire.nic.Rights;
import dev.weft.tripwire.nic.Status;
import dev.weft.tripwire.nic.Tripwire;
import dev.weft.tripwire.nic.Watch;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tripwires on virtual memory of the host, whose pages may be absent when data comes. */
@Tag("simulation")
class UnpinnedTripwireTest {
  private static final int MTU = 1024;
  private static final int PAGE = 4096;
  private static final int PAGES = 64;
  private static final int FRAMES = 8;

  private final VirtualPair pair = new VirtualPair(3);
  private MemoryRegion source;
  private MemoryRegion target;
  private AddressSpace space;
  private CompletionQueue nearCq;
  private QueuePair near;

  @BeforeEach
  void connect() {
    Hca from = pair.near.node().hca();
    Hca to = pair.far.node().hca();
    ProtectionDomain fromPd = from.allocPd();
    ProtectionDomain toPd = to.allocPd();
    HostVm vm = new HostVm(new NetVmSettings(PAGE, FRAMES, 1024, 4, 64, 1 << 30),
        new SimulatedBackingStore(pair.fabric.system(), new DiskCosts(50_000, 20_000, 100_000_000, 100_000_000)), VmProcessor.DIRECT);
    to.attachVm(vm);
    space = vm.createSpace();
    source = from.regMr(fromPd, pair.memory(65_536), Access.ALL);
    target = to.regMr(toPd, space.map(space.base(), PAGES * PAGE), 0x7000_0000L, Access.ALL | Access.ON_DEMAND);
    nearCq = completionQueue(from);
    near = from.createQp(fromPd, QpInitAttr.of(nearCq, 1024));
    QueuePair far = to.createQp(toPd, QpInitAttr.of(completionQueue(to), 16));
    ready(near, to, far);
    ready(far, from, near);
  }

  private static CompletionQueue completionQueue(Hca hca) {
    return hca.createCq(4096, ReceiveContext.POLLING, null);
  }

  private static void ready(QueuePair own, Hca peer, QueuePair peerQp) {
    own.modify(QpAttr.init(Access.ALL));
    own.modify(QpAttr.rtr().destLid(peer.lid()).destQpNum(peerQp.qpNum()).rqPsn(1).pathMtu(MTU));
    own.modify(QpAttr.rts(1));
  }

  @AfterEach
  void close() {
    pair.close();
  }

  private Tripwire wire(Watch watch, long offset, long length) {
    Tripwire wire = pair.far.tripwire().set(target, watch, offset, length, false);
    wire.arm();
    return wire;
  }

  private void post(long offset, int length) {
    near.postSend(new WorkRequest().write(target.addr() + offset, target.rkey()).sge(source, 0, length));
  }

  private void write(long offset, int length) {
    post(offset, length);
    pair.run();
  }

  /** Puts a page into the store, so that bringing it takes time, by touching others. */
  private void bring(int page) {
    access(page, true);
  }

  private void access(int page, boolean write) {
    boolean[] done = new boolean[1];
    MemorySegment bytes = MemorySegment.ofArray(new byte[] {9});
    if (write) {
      space.write(space.base() + (long) page * PAGE, bytes, ok -> done[0] = ok);
    } else {
      space.read(space.base() + (long) page * PAGE, bytes, ok -> done[0] = ok);
    }
    assertTrue(pair.fabric.system().runUntil(() -> done[0], 1_000_000_000L));
  }

  private boolean isResident(long page) {
    return space.isResident(space.base() + page * PAGE, PAGE);
  }

  /** Makes those pages absent, with bytes in the store. */
  private void swapOut(int... pages) {
    for (int page : pages) {
      bring(page);
    }
    for (int page = PAGES - 2 * FRAMES; page < PAGES; page++) {
      bring(page);
    }
    for (int page : pages) {
      assertFalse(isResident(page), "page " + page);
    }
  }

  private byte[] now(long offset, int length) {
    byte[] bytes = new byte[length];
    boolean[] done = new boolean[1];
    space.read(space.base() + offset, MemorySegment.ofArray(bytes), ok -> done[0] = ok);
    assertTrue(done[0], "the data was not there at once");
    return bytes;
  }

  private byte[] sent(int length) {
    return source.segment().asSlice(0, length).toArray(ValueLayout.JAVA_BYTE);
  }

  @Test
  void shouldFireOnceTheDataOfAnAbsentPageIsThereAndNotBefore() {
    swapOut(5);
    source.segment().fill((byte) 3);
    List<byte[]> seen = new ArrayList<>();
    Tripwire wire = wire(Watch.WRITE, 5 * PAGE + 100, 200).onFired((fired, times) -> seen.add(now(5 * PAGE + 100, 200)),
        ReceiveContext.ISR);
    post(5 * PAGE + 100, 200);
    pair.fabric.system().runFor(20_000);
    assertFalse(isResident(5));
    assertEquals(0, wire.counted(), "the packet has come, its page has not");
    pair.run();
    assertEquals(1, wire.counted());
    assertEquals(1, seen.size());
    assertArrayEquals(sent(200), seen.getFirst());
  }

  /** Pages 10 and 12 are there, 11 is not: what watches 12 or all hears of it when all is there, 10 at once. */
  @Test
  void shouldFireForAWriteAcrossPagesWhenAllBeforeIsThere() {
    swapOut(11);
    bring(10);
    bring(12);
    source.segment().fill((byte) 4);
    List<String> order = new ArrayList<>();
    Tripwire first = wire(Watch.WRITE, 10 * PAGE, 100).onFired((fired, times) -> order.add("first " + isResident(11)), ReceiveContext.ISR);
    Tripwire last = wire(Watch.WRITE, 12 * PAGE, 100).onFired((fired, times) -> {
      order.add("last " + isResident(11));
      assertEquals(4, now(12 * PAGE, 1)[0]);
    }, ReceiveContext.ISR);
    Tripwire all = wire(Watch.WRITE, 10 * PAGE, 3 * PAGE).onFired((fired, times) -> {
      order.add("all " + isResident(11));
      assertArrayEquals(sent(2 * PAGE + 500), now(10 * PAGE, 2 * PAGE + 500));
    }, ReceiveContext.ISR);
    write(10 * PAGE, 2 * PAGE + 500);
    assertEquals(List.of("first false", "last true", "all true"), order);
    assertEquals(1, first.counted());
    assertEquals(1, last.counted());
    assertEquals(1, all.counted());
  }

  @Test
  void shouldFireNothingForDataThatIsDroppedAndForTheMappingThatFollows() {
    swapOut(5);
    Tripwire wire = wire(Watch.WRITE, 5 * PAGE, PAGE);
    post(5 * PAGE, 100);
    pair.fabric.system().runFor(20_000);
    boolean[] free = new boolean[1];
    space.unmap(space.base() + 5 * PAGE, PAGE, () -> free[0] = true);
    assertTrue(pair.fabric.system().runUntil(() -> free[0], 1_000_000_000L));
    pair.run();
    assertEquals(0, wire.counted());
    space.map(space.base() + 5 * PAGE, PAGE);
    write(5 * PAGE, 100);
    assertEquals(1, wire.counted(), "the key and the Tripwire stay good");
  }

  @Test
  void shouldWatchAtomicsAndReads() {
    swapOut(7);
    Tripwire writes = wire(Watch.WRITE, 7 * PAGE, 8);
    Tripwire reads = wire(Watch.READ, 7 * PAGE, 8);
    near.postSend(new WorkRequest().compareAndSwap(target.addr() + 7 * PAGE, target.rkey(), 77, 1).sge(source, 0, 8));
    pair.run();
    assertEquals(0, writes.counted(), "a comparison that fails");
    assertEquals(1, reads.counted());
    swapOut(7);
    near.postSend(new WorkRequest().fetchAndAdd(target.addr() + 7 * PAGE, target.rkey(), 1).sge(source, 0, 8));
    pair.run();
    assertEquals(1, writes.counted());
    assertEquals(2, reads.counted());
    swapOut(7);
    near.postSend(new WorkRequest().read(target.addr() + 7 * PAGE, target.rkey()).sge(source, 0, 3000));
    pair.run();
    assertEquals(1, writes.counted());
    assertEquals(3, reads.counted());
  }

  @Test
  void shouldNotExportVirtualMemoryNorMoveItByDma() {
    MemorySegment name = space.name(space.base(), PAGE);
    assertEquals(Status.INVALID, assertThrows(NicException.class, () -> pair.far.export(name)).status());
    LocalAperture whole = pair.far.export(pair.memory(PAGE));
    assertEquals(Status.INVALID, assertThrows(NicException.class, () -> whole.remap(0, name)).status());
    RemoteAperture there = pair.near.map(whole.descriptor(Rights.ALL));
    assertEquals(Status.INVALID, assertThrows(NicException.class, () -> there.read(0, name, 0, 8, status -> { })).status());
    DmaQueue dma = pair.near.endpoint(0).dma();
    assertEquals(Status.INVALID, assertThrows(NicException.class, () -> dma.write(there, 0, name, 0, 8, 0)).status());
  }

  /** None missed and none false, while pages come and go under the writes. */
  @Test
  void shouldCountEveryWriteOnceWhilePagesComeAndGo() {
    Random random = new Random(11);
    int wires = 40;
    long[] starts = new long[wires];
    long[] lengths = new long[wires];
    long[] expected = new long[wires];
    Tripwire[] set = new Tripwire[wires];
    for (int i = 0; i < wires; i++) {
      starts[i] = random.nextInt(PAGES * PAGE - 20_000);
      lengths[i] = 1 + random.nextInt(random.nextBoolean() ? 64 : 20_000);
      set[i] = wire(Watch.WRITE, starts[i], lengths[i]);
    }
    for (int round = 0; round < 3000; round++) {
      int length = 1 + random.nextInt(random.nextBoolean() ? 64 : 9000);
      long offset = random.nextInt(PAGES * PAGE - length);
      for (int i = 0; i < wires; i++) {
        expected[i] += offset < starts[i] + lengths[i] && starts[i] < offset + length ? 1 : 0;
      }
      near.postSend(new WorkRequest().write(target.addr() + offset, target.rkey()).sge(source, 0, length).signaled());
      if (round % 64 == 0) {
        pair.run();
        WorkCompletion ended = new WorkCompletion();
        while (nearCq.poll(ended)) {
          assertEquals(WcStatus.SUCCESS, ended.status());
        }
      } else {
        pair.fabric.system().runFor(random.nextInt(100_000));
      }
    }
    pair.run();
    for (int i = 0; i < wires; i++) {
      assertEquals(expected[i], set[i].counted(), "Tripwire " + i + " on " + starts[i] + "+" + lengths[i]);
    }
    assertTrue(pair.far.node().hca().inspectVm().redirect().redirectedPackets() > 1000);
  }
}
