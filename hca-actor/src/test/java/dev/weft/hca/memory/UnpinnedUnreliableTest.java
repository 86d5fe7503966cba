package dev.weft.hca.memory;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.fabric.link.LinkFaults;
import dev.weft.fabric.seeds.Seeds;
import dev.weft.hca.verbs.Pair;
import dev.weft.hca.verbs.QpState;
import dev.weft.hca.verbs.QpType;
import dev.weft.hca.verbs.QueuePair;
import dev.weft.hca.verbs.ReceiveRequest;
import dev.weft.hca.verbs.TypedPair;
import dev.weft.hca.verbs.UnpinnedPair;
import dev.weft.hca.verbs.WcStatus;
import dev.weft.hca.verbs.WorkCompletion;
import dev.weft.hca.verbs.WorkRequest;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** UC and UD with memory that is not pinned: nobody repeats what these services lose. */
@Tag("simulation")
class UnpinnedUnreliableTest {
  private static final int PAGE = UnpinnedPair.PAGE;
  private static final int GRH = 40;

  /** Queue pairs of another service beside those of {@link UnpinnedPair}. */
  private static final class Bed implements AutoCloseable {
    final UnpinnedPair vm;
    final Pair.Side a;
    final Pair.Side b;
    final QueuePair qa;
    final QueuePair qb;

    Bed(QpType type, int redirectPackets) {
      vm = new UnpinnedPair(1, LinkFaults.NONE, 8, 64, redirectPackets, false, "weft.hca.path-mtu-max = 4096");
      a = vm.pair.a;
      b = vm.pair.b;
      qa = TypedPair.create(type, a);
      qb = TypedPair.create(type, b);
      TypedPair.toRts(qa, b, qb);
      TypedPair.toRts(qb, a, qa);
    }

    WorkRequest to(Pair.Side from, Pair.Side to, WorkRequest request) {
      return from.qp.type() == QpType.RC && qa.type() == QpType.UC ? request
          : request.to(from.hca.createAh(from.pd, to.hca.lid(), 0), (to == b ? qb : qa).qpNum(), TypedPair.QKEY);
    }

    int header() {
      return qa.type() == QpType.UD ? GRH : 0;
    }

    @Override
    public void close() {
      vm.close();
    }
  }

  @ParameterizedTest
  @EnumSource(value = QpType.class, names = {"UC", "UD"})
  void shouldPlaceMessagesInAbsentPagesAndSendFromSuch(QpType type) {
    try (Bed bed = new Bed(type, 64)) {
      bed.a.fill(5);
      assertFalse(bed.vm.isResident(3));
      bed.qb.postReceive(new ReceiveRequest().receive(1).sge(bed.vm.mr, 3 * PAGE - 100, 4096));
      bed.qa.postSend(bed.to(bed.a, bed.b, new WorkRequest().send().sge(bed.a.mr, 0, 3000).signaled()));
      bed.vm.pair.run();
      assertEquals(WcStatus.SUCCESS, bed.a.oneSent().status());
      assertEquals(bed.header() + 3000, bed.b.oneReceived().byteLen());
      assertArrayEquals(bed.vm.ofA(0, 3000), bed.vm.peek(3 * PAGE - 100 + bed.header(), 3000));
      bed.vm.push(20, 16);
      assertFalse(bed.vm.isResident(3));
      bed.qa.postReceive(new ReceiveRequest().receive(2).sge(bed.a.mr, 10_000, 4096));
      bed.qb.postSend(bed.to(bed.b, bed.a,
          new WorkRequest().send().sge(bed.vm.mr, 3 * PAGE - 100 + bed.header(), 3000).signaled()));
      bed.vm.pair.run();
      assertEquals(WcStatus.SUCCESS, bed.b.oneSent().status());
      assertEquals(2, bed.a.oneReceived().wrId());
      assertArrayEquals(bed.vm.ofA(0, 3000), bed.vm.ofA(10_000 + bed.header(), 3000));
      assertEquals(0, bed.vm.vm.snapshot().spaces().getFirst().lockedPages());
      assertEquals(0, bed.vm.nic().redirect().used());
    }
  }

  @Test
  void shouldPutUnreliableWritesIntoAbsentPages() {
    try (Bed bed = new Bed(QpType.UC, 64)) {
      bed.a.fill(6);
      bed.qa.postSend(new WorkRequest().write(bed.vm.va(5 * PAGE + 1000), bed.vm.mr.rkey()).sge(bed.a.mr, 0, 20_000));
      bed.vm.pair.run();
      assertArrayEquals(bed.vm.ofA(0, 20_000), bed.vm.peek(5 * PAGE + 1000, 20_000));
      assertTrue(bed.vm.nic().redirect().redirectedPackets() > 0);
      assertEquals(0, bed.b.counters().messagesDropped());
    }
  }

  /** There is no credit to be given: what finds no room is lost, whole, and the next one comes. */
  @ParameterizedTest
  @EnumSource(value = QpType.class, names = {"UC", "UD"})
  void shouldLoseWhatFindsNoRoomAndNothingElse(QpType type) {
    try (Bed bed = new Bed(type, 2)) {
      bed.a.fill(7);
      bed.vm.push(10, 6);
      bed.vm.push(30, 16); // Pages 10 to 15 are on the disk, so that bringing them takes time.
      for (int i = 0; i < 6; i++) {
        bed.qb.postReceive(new ReceiveRequest().receive(i).sge(bed.vm.mr, (long) (10 + i) * PAGE, PAGE));
        bed.qa.postSend(bed.to(bed.a, bed.b, new WorkRequest().send().sge(bed.a.mr, 100 * i, 500)));
      }
      bed.vm.pair.run();
      List<WorkCompletion> got = bed.b.received();
      long dropped = bed.b.counters().messagesDropped();
      assertTrue(dropped > 0 && got.size() >= 2, dropped + " dropped, " + got);
      assertEquals(6, dropped + got.size());
      assertEquals(2, bed.vm.nic().redirect().usedMax());
      assertEquals(dropped, bed.vm.nic().redirect().refused());
      for (int i = 0; i < got.size(); i++) {
        assertEquals(i, got.get(i).wrId(), "receives are taken in order");
        byte[] there = bed.vm.peek((long) (10 + i) * PAGE + bed.header(), 500);
        int sent = i;
        assertTrue(java.util.stream.IntStream.range(sent, 6).anyMatch(j -> Arrays.equals(there, bed.vm.ofA(100 * j, 500))),
            "receive " + i + " holds a whole message");
      }
      bed.qa.postSend(bed.to(bed.a, bed.b, new WorkRequest().send().sge(bed.a.mr, 0, 500)));
      bed.vm.pair.run();
      assertEquals(got.size(), bed.b.oneReceived().wrId());
    }
  }

  /** An empty datagram has a header, which is written too. */
  @Test
  void shouldLoseEmptyDatagramsThatFindNoRoomAndNothingElse() {
    try (Bed bed = new Bed(QpType.UD, 2)) {
      bed.vm.push(10, 6);
      bed.vm.push(30, 16); // Pages 10 to 15 are on the disk, so that bringing them takes time.
      for (int i = 0; i < 6; i++) {
        bed.qb.postReceive(new ReceiveRequest().receive(i).sge(bed.vm.mr, (long) (10 + i) * PAGE, PAGE));
        bed.qa.postSend(bed.to(bed.a, bed.b, new WorkRequest().send().sge(bed.a.mr, 0, i < 2 ? 500 : 0)));
      }
      bed.vm.pair.run();
      List<WorkCompletion> got = bed.b.received();
      assertTrue(got.stream().allMatch(each -> each.status() == WcStatus.SUCCESS), got.toString());
      assertEquals(QpState.RTS, bed.qb.state());
      long dropped = bed.b.counters().messagesDropped();
      assertTrue(dropped > 0 && got.size() >= 2, dropped + " dropped, " + got);
      assertEquals(6, dropped + got.size());
    }
  }

  @ParameterizedTest
  @EnumSource(value = QpType.class, names = {"UC", "UD"})
  void shouldFailRequestsWhoseMemoryIsNotMapped(QpType type) {
    try (Bed bed = new Bed(type, 16)) {
      bed.vm.space.unmap(bed.vm.space.base() + 8 * PAGE, PAGE, () -> {});
      bed.vm.pair.run();
      bed.qb.postReceive(new ReceiveRequest().receive(1).sge(bed.vm.mr, 8 * PAGE, PAGE));
      bed.qa.postSend(bed.to(bed.a, bed.b, new WorkRequest().send().sge(bed.a.mr, 0, 500)));
      bed.vm.pair.run();
      assertEquals(WcStatus.LOC_PROT_ERR, bed.b.oneReceived().status());
      QueuePair other = TypedPair.create(type, bed.b);
      TypedPair.toRts(other, bed.a, bed.qa);
      other.postSend(bed.to(bed.b, bed.a, new WorkRequest().send().sge(bed.vm.mr, 8 * PAGE, 500)));
      bed.vm.pair.run();
      assertEquals(WcStatus.LOC_PROT_ERR, bed.b.oneSent().status());
      assertEquals(QpState.SQE, other.state());
    }
  }

  @Test
  void shouldKeepEveryByteOfUnreliableWritesWhilePagesComeAndGo() {
    Seeds.of(UnpinnedUnreliableTest.class, "netvm-uc", 0, 5, 5).run(seed -> {
      try (Bed bed = new Bed(QpType.UC, 1000)) {
        Random random = new Random(seed);
        byte[] model = new byte[64 * PAGE];
        byte[] bytes = new byte[1 << 16];
        random.nextBytes(bytes);
        bed.a.memory.asSlice(0, bytes.length).copyFrom(java.lang.foreign.MemorySegment.ofArray(bytes));
        for (int round = 0; round < 60; round++) {
          int length = 1 + random.nextInt(9000);
          int from = random.nextInt(bytes.length - length);
          int to = random.nextInt(model.length - length);
          System.arraycopy(bytes, from, model, to, length);
          bed.qa.postSend(new WorkRequest().write(bed.vm.va(to), bed.vm.mr.rkey()).sge(bed.a.mr, from, length));
          bed.vm.pair.fabric.system().runFor(random.nextInt(200_000));
        }
        bed.vm.pair.run();
        assertEquals(0, bed.b.counters().messagesDropped(), "seed " + seed);
        for (int page = 0; page < 64; page++) {
          assertArrayEquals(Arrays.copyOfRange(model, page * PAGE, (page + 1) * PAGE), bed.vm.peek((long) page * PAGE, PAGE),
              "seed " + seed + " page " + page);
        }
      }
    });
  }
}
