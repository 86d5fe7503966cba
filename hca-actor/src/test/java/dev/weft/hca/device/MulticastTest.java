package dev.weft.hca.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.fabric.packet.Packet;
import dev.weft.hca.verbs.AddressHandle;
import dev.weft.hca.verbs.Pair;
import dev.weft.hca.verbs.QpAttr;
import dev.weft.hca.verbs.QpState;
import dev.weft.hca.verbs.QpType;
import dev.weft.hca.verbs.QueuePair;
import dev.weft.hca.verbs.TypedPair;
import dev.weft.hca.verbs.VerbsException;
import dev.weft.hca.verbs.WorkCompletion;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Multicast groups (specification volume 1, section 10.5): joining, attaching, who gets a copy. */
@Tag("simulation")
@Timeout(180)
class MulticastTest {
  private static int join(TypedPair p, Pair.Side side, String group, boolean sendOnly) {
    CompletableFuture<Integer> lid = side.node.joinMulticast(group, sendOnly).toCompletableFuture();
    p.pair.runUntil(lid::isDone);
    return lid.join();
  }

  private static void send(TypedPair p, Pair.Side from, QueuePair qp, int lid, int length) {
    AddressHandle group = from.hca.createAh(from.pd, lid, 0);
    qp.postSend(from.wr.send().sge(from.mr, 0, length).to(group, Packet.MULTICAST_QP, TypedPair.QKEY));
    p.run();
  }

  private static void receives(Pair.Side side, QueuePair qp, int count) {
    for (int i = 0; i < count; i++) {
      qp.postReceive(side.rr.receive(qp.qpNum()).sge(side.mr, 1000, 200));
    }
  }

  @Test
  void shouldGiveACopyToEveryAttachedQueuePairOfEveryMember() {
    try (TypedPair p = TypedPair.of(QpType.UD)) {
      QueuePair second = TypedPair.create(QpType.UD, p.b);
      QueuePair bystander = TypedPair.create(QpType.UD, p.b);
      TypedPair.toRts(second, p.a, p.qa);
      TypedPair.toRts(bystander, p.a, p.qa);
      for (QueuePair qp : List.of(p.qb, second, bystander)) {
        receives(p.b, qp, 3);
      }
      receives(p.a, p.qa, 3);
      int lid = join(p, p.b, "news", false);
      assertEquals(lid, join(p, p.a, "news", true), "who only sends gets the same LID");
      p.b.hca.attachMulticast(p.qb, lid);
      p.b.hca.attachMulticast(second, lid);
      send(p, p.a, p.qa, lid, 9);
      assertEquals(List.of(p.qb.qpNum(), second.qpNum()), p.b.received().stream().map(WorkCompletion::qpNum).sorted().toList());
      assertTrue(p.a.received().isEmpty(), "the sender gets no copy unless it is attached");

      assertEquals(lid, join(p, p.a, "news", false));
      p.a.hca.attachMulticast(p.qa, lid);
      send(p, p.a, p.qa, lid, 10);
      assertEquals(2, p.b.received().size());
      WorkCompletion own = p.a.oneReceived();
      assertEquals(50, own.byteLen());
      assertEquals(p.qa.qpNum(), own.srcQp());

      p.b.hca.detachMulticast(second, lid);
      p.a.node.leaveMulticast("news", false);
      send(p, p.a, p.qa, lid, 11);
      assertEquals(p.qb.qpNum(), p.b.oneReceived().qpNum());
      assertTrue(p.a.received().isEmpty());
    }
  }

  @Test
  void shouldNotDeliverWhatTheNodeHasNotJoinedOrHasLeft() {
    try (TypedPair p = TypedPair.of(QpType.UD)) {
      receives(p.b, p.qb, 3);
      int lid = join(p, p.b, "g", true);
      p.b.hca.attachMulticast(p.qb, lid);
      send(p, p.a, p.qa, lid, 8);
      assertTrue(p.b.received().isEmpty(), "a send-only member gets nothing");
      join(p, p.b, "g", false);
      join(p, p.b, "g", false);
      send(p, p.a, p.qa, lid, 8);
      assertEquals(1, p.b.received().size());
      p.b.node.leaveMulticast("g", false);
      send(p, p.a, p.qa, lid, 8);
      assertEquals(1, p.b.received().size(), "joins are counted");
      p.b.node.leaveMulticast("g", false);
      long before = p.b.counters().packetsReceived();
      send(p, p.a, p.qa, lid, 8);
      assertEquals(before, p.b.counters().packetsReceived(), "the switch forwards nothing");
    }
  }

  @Test
  void shouldKeepGroupsApartAndForgetThemWithTheirLastMember() {
    try (TypedPair p = TypedPair.of(QpType.UD)) {
      receives(p.b, p.qb, 3);
      int one = join(p, p.b, "one", false);
      int two = join(p, p.a, "two", false);
      assertTrue(one != two && Packet.isMulticast(one) && Packet.isMulticast(two), one + " " + two);
      p.b.hca.attachMulticast(p.qb, one);
      send(p, p.a, p.qa, two, 8);
      assertTrue(p.b.received().isEmpty());
      p.b.node.leaveMulticast("one", false);
      assertTrue(join(p, p.b, "one", false) != one, "a LID is not used again at once");
    }
  }

  @Test
  void shouldDropAMulticastWithAWrongKeyForThatQueuePairOnly() {
    try (TypedPair p = TypedPair.of(QpType.UD)) {
      QueuePair second = TypedPair.create(QpType.UD, p.b);
      TypedPair.toRts(second, p.a, p.qa);
      second.modify(new QpAttr().state(QpState.RTS).qkey(0x777));
      receives(p.b, p.qb, 1);
      receives(p.b, second, 1);
      int lid = join(p, p.b, "g", false);
      p.b.hca.attachMulticast(p.qb, lid);
      p.b.hca.attachMulticast(second, lid);
      send(p, p.a, p.qa, lid, 8);
      assertEquals(p.qb.qpNum(), p.b.oneReceived().qpNum());
      assertEquals(1, p.b.counters().qkeyViolations());
    }
  }

  @Test
  void shouldRefuseWhatCannotBeAttachedOrJoined() {
    try (TypedPair p = TypedPair.of(QpType.UD)) {
      assertThrows(VerbsException.class, () -> p.a.hca.attachMulticast(p.a.qp, 0xc001), "an RC queue pair");
      assertThrows(VerbsException.class, () -> p.a.hca.attachMulticast(p.qa, 5), "a unicast LID");
      assertThrows(VerbsException.class, () -> p.a.hca.attachMulticast(p.qb, 0xc001), "of another HCA");
      assertThrows(VerbsException.class, () -> p.a.hca.detachMulticast(p.qa, 0xc001), "not attached");
      p.a.hca.attachMulticast(p.qa, 0xc001);
      p.a.hca.attachMulticast(p.qa, 0xc001);
      VerbsException busy = assertThrows(VerbsException.class, () -> p.a.hca.destroyQp(p.qa));
      assertEquals(VerbsException.Errno.EBUSY, busy.errno());
      p.a.hca.detachMulticast(p.qa, 0xc001);
      p.a.hca.destroyQp(p.qa);
      CompletableFuture<Integer> nameless = p.a.node.joinMulticast("", false).toCompletableFuture();
      assertInstanceOf(VerbsException.class, assertThrows(CompletionException.class, nameless::join).getCause());
    }
  }
}
