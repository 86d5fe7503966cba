package dev.weft.hca.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.fabric.capture.CaptureTap;
import dev.weft.fabric.memory.MemoryLoan;
import dev.weft.fabric.packet.Packet;
import dev.weft.fabric.packet.Payload;
import dev.weft.hca.verbs.Access;
import dev.weft.hca.verbs.DeviceMemory;
import dev.weft.hca.verbs.MemoryRegion;
import dev.weft.hca.verbs.MemoryWindow;
import dev.weft.hca.verbs.MrInitAttr;
import dev.weft.hca.verbs.MwBind;
import dev.weft.hca.verbs.Pair;
import dev.weft.hca.verbs.PdBuffer;
import dev.weft.hca.verbs.QpAttr;
import dev.weft.hca.verbs.QpInitAttr;
import dev.weft.hca.verbs.QpState;
import dev.weft.hca.verbs.QueueAllocator;
import dev.weft.hca.verbs.QueuePair;
import dev.weft.hca.verbs.Rereg;
import dev.weft.hca.verbs.WcStatus;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Memory that its owner takes back while packets on their way refer to it: what is written there afterwards reaches nobody. At each of many
 * moments of a transfer, in virtual time.
 */
@Tag("slow")
@Tag("simulation")
class TakenBackTest {
  private static final int LENGTH = 20 * Pair.MTU;
  private static final byte BEFORE = 0x11;
  private static final byte AFTER = 0x66;
  /** The transfer takes some 25 us. */
  private static final long STEP_NS = 700;
  private static final int STEPS = 60;

  /** How b offers memory, and takes it back. */
  private enum Kind {
    DEREGISTERED, LISTED, MOVED, DEVICE_MEMORY, BUFFER, WINDOW_1, WINDOW_2, LOCAL_INV_OF_WINDOW, LOCAL_INV_OF_REGION
  }

  /** What b has lent. */
  private static final class Offer {
    private final Pair.Side b;
    private final Kind kind;
    private MemorySegment memory;
    private MemoryRegion region;
    private MemoryWindow window;
    private DeviceMemory device;
    private PdBuffer buffer;

    Offer(Pair pair, Kind kind) {
      b = pair.b;
      this.kind = kind;
      int access = Access.ALL | Access.MW_BIND;
      switch (kind) {
        case DEVICE_MEMORY -> {
          device = b.hca.allocDm(LENGTH);
          fill(BEFORE);
          region = b.hca.regMr(b.pd, new MrInitAttr().deviceMemory(device).access(Access.ALL | Access.ZERO_BASED));
        }
        case BUFFER -> {
          buffer = b.hca.allocBuffer(b.pd, LENGTH);
          memory = buffer.segment();
          region = b.hca.regMr(b.pd, new MrInitAttr().buffer(buffer).access(access));
        }
        default -> {
          memory = Arena.ofAuto().allocate(LENGTH, 64);
          region = b.hca.regMr(b.pd, memory, access);
        }
      }
      fill(BEFORE);
      if (kind == Kind.WINDOW_1) {
        window = b.hca.allocMw(b.pd, MemoryWindow.Type.TYPE_1);
        b.hca.bindMw(b.qp, new MwBind(window, 0, region, region.addr(), LENGTH, Access.REMOTE_READ), 1, 0);
      } else if (kind == Kind.WINDOW_2 || kind == Kind.LOCAL_INV_OF_WINDOW) {
        window = b.hca.allocMw(b.pd, MemoryWindow.Type.TYPE_2);
        b.send(b.wr.bindMw(new MwBind(window, window.nextRkey(), region, region.addr(), LENGTH, Access.REMOTE_READ)));
      }
      pair.run();
    }

    int rkey() {
      return window == null ? region.rkey() : window.rkey();
    }

    void takeBack(Pair pair) {
      switch (kind) {
        case DEREGISTERED, BUFFER, DEVICE_MEMORY -> b.hca.deregMr(region);
        case LISTED -> b.hca.deregMrs(List.of(region));
        case MOVED -> b.hca.reregMr(region, Rereg.TRANSLATION, null, Arena.ofAuto().allocate(LENGTH), 0, 0);
        case WINDOW_1, WINDOW_2 -> b.hca.deallocMw(window);
        case LOCAL_INV_OF_WINDOW, LOCAL_INV_OF_REGION -> {
          b.send(b.wr.localInvalidate(rkey()).wrId(9).signaled());
          while (b.sent().isEmpty()) {
            pair.fabric.system().runFor(10);
          }
        }
      }
      fill(AFTER);
      if (kind == Kind.DEVICE_MEMORY) {
        b.hca.freeDm(device);
      } else if (kind == Kind.BUFFER) {
        b.hca.freeBuffer(buffer);
      }
    }

    private void fill(byte value) {
      if (device == null) {
        memory.fill(value);
      } else {
        MemorySegment bytes = Arena.ofAuto().allocate(LENGTH);
        device.copyTo(0, bytes.fill(value));
      }
    }
  }

  private static boolean has(MemorySegment memory, byte value) {
    for (long i = 0; i < LENGTH; i++) {
      if (memory.get(ValueLayout.JAVA_BYTE, i) == value) {
        return true;
      }
    }
    return false;
  }

  private static WcStatus end(Pair pair) {
    pair.run();
    return pair.a.oneSent().status();
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void shouldNeverAnswerAReadWithWhatIsWrittenAfterwards(Kind kind) {
    Set<WcStatus> seen = EnumSet.noneOf(WcStatus.class);
    for (int step = 0; step < STEPS; step++) {
      try (Pair pair = Pair.connected()) {
        Offer offer = new Offer(pair, kind);
        pair.a.memory.fill((byte) 0);
        pair.a.send(pair.a.wr.read(offer.window != null || kind != Kind.DEVICE_MEMORY ? offer.region.addr() : 0, offer.rkey())
            .sge(pair.a.mr, 0, LENGTH).signaled());
        pair.fabric.system().runFor(STEP_NS * step);
        offer.takeBack(pair);
        WcStatus status = end(pair);
        assertEquals(false, has(pair.a.memory, AFTER), kind + ": bytes of later, after " + STEP_NS * step + " ns, " + status);
        if (status == WcStatus.SUCCESS) {
          assertEquals(false, has(pair.a.memory, (byte) 0), "whole");
        }
        seen.add(status);
      }
    }
    assertTrue(seen.contains(WcStatus.SUCCESS) && seen.contains(WcStatus.REM_ACCESS_ERR), () -> "statuses " + seen);
    assertTrue(EnumSet.of(WcStatus.SUCCESS, WcStatus.REM_ACCESS_ERR, WcStatus.RETRY_EXC_ERR).containsAll(seen), () -> "statuses " + seen);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldNeverSendWhatIsWrittenAfterwards(boolean isWrite) {
    Set<WcStatus> seen = EnumSet.noneOf(WcStatus.class);
    for (int step = 0; step < STEPS; step++) {
      try (Pair pair = Pair.connected()) {
        MemorySegment memory = Arena.ofAuto().allocate(LENGTH, 64).fill(BEFORE);
        MemoryRegion region = pair.a.hca.regMr(pair.a.pd, memory, Access.ALL);
        pair.b.memory.fill((byte) 0);
        pair.b.post(1, 0, LENGTH);
        pair.a.send((isWrite ? pair.a.wr.write(pair.b.mr.addr(), pair.b.mr.rkey()) : pair.a.wr.send()).sge(region, 0, LENGTH).signaled());
        pair.fabric.system().runFor(STEP_NS * step);
        pair.a.hca.deregMr(region);
        memory.fill(AFTER);
        WcStatus status = end(pair);
        assertEquals(false, has(pair.b.memory, AFTER), "bytes of later, after " + STEP_NS * step + " ns, " + status);
        if (status == WcStatus.SUCCESS) {
          assertEquals(false, has(pair.b.memory, (byte) 0), "whole");
        }
        seen.add(status);
      }
    }
    assertEquals(EnumSet.of(WcStatus.SUCCESS, WcStatus.LOC_PROT_ERR), seen);
  }

  /** How the other side stops to have anything to do with the memory of a queue pair whose region stays. */
  private enum End {
    DESTROYED, RESET, ERROR
  }

  private static void end(Pair.Side side, End how) {
    switch (how) {
      case DESTROYED -> side.hca.destroyQp(side.qp);
      case RESET -> side.qp.modify(new QpAttr().state(QpState.RESET));
      case ERROR -> side.qp.modify(new QpAttr().state(QpState.ERR));
    }
  }

  /** Its memory may be used for something else from then on. */
  @ParameterizedTest
  @EnumSource(End.class)
  void shouldNotAnswerAReadWithWhatIsWrittenAfterTheQueuePairEnded(End how) {
    for (int step = 0; step < STEPS; step++) {
      try (Pair pair = Pair.connected()) {
        pair.b.memory.fill(BEFORE);
        pair.a.memory.fill((byte) 0);
        pair.a.send(pair.a.wr.read(pair.b.mr.addr(), pair.b.mr.rkey()).sge(pair.a.mr, 0, LENGTH).signaled());
        pair.fabric.system().runFor(STEP_NS * step);
        end(pair.b, how);
        pair.b.memory.fill(AFTER);
        WcStatus status = end(pair);
        assertEquals(false, has(pair.a.memory, AFTER), how + ": bytes of later, after " + STEP_NS * step + " ns, " + status);
      }
    }
  }

  @ParameterizedTest
  @EnumSource(End.class)
  void shouldNotSendWhatIsWrittenAfterTheQueuePairEnded(End how) {
    for (int step = 0; step < STEPS; step++) {
      try (Pair pair = Pair.connected()) {
        pair.a.memory.fill(BEFORE);
        pair.b.memory.fill((byte) 0);
        pair.a.send(pair.a.wr.write(pair.b.mr.addr(), pair.b.mr.rkey()).sge(pair.a.mr, 0, LENGTH).signaled());
        pair.fabric.system().runFor(STEP_NS * step);
        end(pair.a, how);
        pair.a.memory.fill(AFTER);
        pair.run();
        assertEquals(false, has(pair.b.memory, AFTER), how + ": bytes of later, after step " + step);
      }
    }
  }

  @Test
  void shouldNotPlaceWhatComesForARegionThatIsGone() {
    for (int step = 0; step < STEPS; step++) {
      try (Pair pair = Pair.connected()) {
        MemorySegment memory = Arena.ofAuto().allocate(LENGTH, 64);
        MemoryRegion region = pair.b.hca.regMr(pair.b.pd, memory, Access.ALL);
        pair.a.memory.fill(BEFORE);
        pair.a.send(pair.a.wr.write(region.addr(), region.rkey()).sge(pair.a.mr, 0, LENGTH).signaled());
        pair.fabric.system().runFor(STEP_NS * step);
        pair.b.hca.deregMr(region);
        memory.fill(AFTER);
        end(pair);
        assertEquals(false, has(memory, BEFORE));
      }
    }
  }

  /** The queue's memory is given back while inline data in it is on its way. */
  @Test
  void shouldNotSendInlineDataOutOfMemoryThatTheAllocatorHasBack() {
    List<MemorySegment> freed = new ArrayList<>();
    QueueAllocator allocator = new QueueAllocator() {
      @Override
      public MemorySegment allocate(long sizeBytes, long alignment) {
        return Arena.ofAuto().allocate(sizeBytes, alignment);
      }

      @Override
      public void free(MemorySegment memory) {
        freed.add(memory.fill(AFTER));
      }
    };
    for (int step = 0; step < STEPS; step++) {
      try (Pair pair = Pair.with("weft.hca.inline-max = " + LENGTH)) {
        Pair.Side a = pair.a;
        QueuePair qp = a.hca.createQp(a.hca.allocParentDomain(a.pd, allocator), new QpInitAttr(a.sendCq, a.recvCq, 8, 8, 1, 1, LENGTH, false));
        qp.modify(QpAttr.init(Access.ALL));
        pair.b.qp.modify(QpAttr.init(Access.ALL));
        qp.modify(QpAttr.rtr().destLid(pair.b.hca.lid()).destQpNum(pair.b.qp.qpNum()).rqPsn(2).pathMtu(Pair.MTU));
        pair.b.qp.modify(QpAttr.rtr().destLid(a.hca.lid()).destQpNum(qp.qpNum()).rqPsn(1).pathMtu(Pair.MTU));
        qp.modify(QpAttr.rts(1));
        qp.postSend(a.wr.write(pair.b.mr.addr(), pair.b.mr.rkey()).inline(a.memory.asSlice(0, LENGTH).fill(BEFORE)));
        pair.fabric.system().runFor(STEP_NS * step);
        a.hca.destroyQp(qp);
        pair.run();
        assertEquals(step + 1, freed.size());
        assertEquals(false, has(pair.b.memory, AFTER));
      }
    }
  }

  @Test
  void shouldNotCaptureWhatWasTakenBack() {
    MemoryLoan loan = new MemoryLoan();
    List<Object> carried = new ArrayList<>();
    List<Packet> seen = new ArrayList<>();
    CaptureTap tap = new CaptureTap(carried::add, () -> 7, (nowNs, packet) -> seen.add(packet));
    Packet packet = new Packet(0, 1, 2, 0, false, false, Packet.DEFAULT_PKEY, 3, 1, 0, 0, 4, 0, 0, 0, 0, 0,
        Payload.of(Arena.ofAuto().allocate(4), 0, 4, null, null, loan));
    tap.transmit(packet);
    loan.end();
    tap.transmit(packet);
    assertEquals(List.of(packet), seen);
    assertEquals(List.of(packet, packet), carried);
  }
}
