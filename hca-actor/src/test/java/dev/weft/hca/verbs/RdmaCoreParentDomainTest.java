package dev.weft.hca.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.hca.verbs.VerbsException.Errno;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** rdma-core's tests/test_parent_domain.py; see docs/reference/rdma-core-tests.md. The traffic is inline: its bytes pass the allocated memory. */
@Tag("simulation")
class RdmaCoreParentDomainTest {
  private static final int LENGTH = 200;

  private final Pair pair = new Pair();
  private final Aligned aligned = new Aligned();

  /** Memory of its own, in which the allocations of each queue pair can be seen. */
  private static final class Aligned implements QueueAllocator {
    final List<MemorySegment> live = new ArrayList<>();
    int calls;

    @Override
    public MemorySegment allocate(long sizeBytes, long alignment) {
      calls++;
      assertTrue(alignment >= 8 && Long.bitCount(alignment) == 1);
      MemorySegment memory = Arena.ofAuto().allocate(sizeBytes, alignment);
      live.add(memory);
      return memory;
    }

    @Override
    public void free(MemorySegment memory) {
      assertTrue(live.remove(memory), "freed twice, or not ours");
    }
  }

  /** Leaves everything to the HCA. */
  private static final class Default implements QueueAllocator {
    int calls;

    @Override
    public MemorySegment allocate(long sizeBytes, long alignment) {
      calls++;
      return null;
    }

    @Override
    public void free(MemorySegment memory) {
      throw new AssertionError("nothing was allocated");
    }
  }

  @AfterEach
  void close() {
    pair.close();
  }

  private static QueuePair create(Pair.Side side, ParentDomain domain, QpType type) {
    return side.hca.createQp(domain, new QpInitAttr(side.sendCq, side.recvCq, 8, 8, 1, 1, 256, false).withType(type));
  }

  private void rcTraffic(QueueAllocator allocator) {
    ParentDomain domainA = pair.a.hca.allocParentDomain(pair.a.pd, allocator);
    ParentDomain domainB = pair.b.hca.allocParentDomain(pair.b.pd, allocator);
    QueuePair from = create(pair.a, domainA, QpType.RC);
    QueuePair to = create(pair.b, domainB, QpType.RC);
    from.modify(QpAttr.init(Access.ALL));
    to.modify(QpAttr.init(Access.ALL));
    from.modify(QpAttr.rtr().destLid(pair.b.hca.lid()).destQpNum(to.qpNum()).rqPsn(1).pathMtu(Pair.MTU));
    to.modify(QpAttr.rtr().destLid(pair.a.hca.lid()).destQpNum(from.qpNum()).rqPsn(1).pathMtu(Pair.MTU));
    from.modify(QpAttr.rts(1));
    to.modify(QpAttr.rts(1));
    RegionTraffic.run(pair, from, to, WrOpcode.SEND, pair.a.mr, pair.b.mr, LENGTH, true);
    assertEquals(pair.a.pd, from.pd());
    RegionTraffic.refused(Errno.EBUSY, () -> pair.a.hca.deallocParentDomain(domainA));
    pair.a.hca.destroyQp(from);
    pair.b.hca.destroyQp(to);
    pair.a.hca.deallocParentDomain(domainA);
    RegionTraffic.refused(Errno.EINVAL, () -> pair.a.hca.deallocParentDomain(domainA));
    RegionTraffic.refused(Errno.EINVAL, () -> create(pair.a, domainA, QpType.RC));
  }

  @Test
  void testWithoutAllocatorsRcTraffic() {
    rcTraffic(null);
  }

  @Test
  void testDefaultAllocatorsRcTraffic() {
    Default allocator = new Default();
    rcTraffic(allocator);
    assertEquals(2, allocator.calls);
  }

  @Test
  void testMemAlignRcTraffic() {
    rcTraffic(aligned);
    assertEquals(2, aligned.calls);
    assertEquals(List.of(), aligned.live);
  }

  @Test
  void testMemAlignUdTraffic() {
    QueuePair from = create(pair.a, pair.a.hca.allocParentDomain(pair.a.pd, aligned), QpType.UD);
    QueuePair to = create(pair.b, pair.b.hca.allocParentDomain(pair.b.pd, aligned), QpType.UD);
    TypedPair.toRts(from, pair.b, to);
    TypedPair.toRts(to, pair.a, from);
    AddressHandle handle = pair.a.hca.createAh(pair.a.pd, pair.b.hca.lid(), 0);
    for (int i = 0; i < RegionTraffic.ITERATIONS; i++) {
      RegionTraffic.fill(pair.a.memory, LENGTH, i);
      to.postReceive(pair.b.rr.receive(i).sge(pair.b.mr, 0, 40 + LENGTH));
      from.postSend(pair.a.wr.send().inline(pair.a.memory.asSlice(0, LENGTH)).to(handle, to.qpNum(), TypedPair.QKEY).signaled());
      assertEquals(-1, aligned.live.getFirst().asSlice(i % 8 * 256L, LENGTH).mismatch(pair.a.memory.asSlice(0, LENGTH)));
      pair.a.memory.asSlice(0, LENGTH).fill((byte) -1);
      pair.run();
      assertTrue(pair.a.oneSent().isSuccess());
      assertEquals(i, pair.b.oneReceived().wrId());
      RegionTraffic.assertFilled(pair.b.memory.asSlice(40), LENGTH, i);
    }
    pair.a.hca.destroyQp(from);
    assertEquals(1, aligned.live.size());
  }

  @Test
  void shouldKeepItsProtectionDomain() {
    ProtectionDomain pd = pair.a.hca.allocPd();
    ParentDomain domain = pair.a.hca.allocParentDomain(pd, null);
    RegionTraffic.refused(Errno.EBUSY, () -> pair.a.hca.deallocPd(pd));
    pair.a.hca.deallocParentDomain(domain);
    pair.a.hca.deallocPd(pd);
    RegionTraffic.refused(Errno.EINVAL, () -> pair.a.hca.allocParentDomain(pd, null));
    RegionTraffic.refused(Errno.EINVAL, () -> pair.a.hca.allocParentDomain(pair.b.pd, null));
  }

  @Test
  void shouldRefuseMemoryThatItCannotUse() {
    try (Arena confined = Arena.ofConfined()) {
      for (MemorySegment bad : List.of(Arena.ofAuto().allocate(8, 8), confined.allocate(1 << 16, 8),
          Arena.ofAuto().allocate(1 << 16, 8).asReadOnly(), MemorySegment.ofArray(new byte[1 << 16]),
          Arena.ofAuto().allocate(1 << 16, 8).asSlice(4))) {
        ParentDomain domain = pair.a.hca.allocParentDomain(pair.a.pd, new QueueAllocator() {
          @Override
          public MemorySegment allocate(long sizeBytes, long alignment) {
            return bad;
          }

          @Override
          public void free(MemorySegment memory) {}
        });
        RegionTraffic.refused(Errno.ENOMEM, () -> create(pair.a, domain, QpType.RC));
      }
    }
  }
}
