package dev.weft.hca.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.fabric.link.LinkFaults;
import dev.weft.hca.verbs.VerbsException.Errno;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Several requests posted together, with what rdma-core calls {@code bad_wr}; inline data from several places. */
@Tag("simulation")
class ListOfRequestsTest {
  private static WorkRequest write(Pair pair, int wrId) {
    return new WorkRequest().write(pair.b.mr.addr() + 8L * wrId, pair.b.mr.rkey()).sge(pair.a.mr, 8L * wrId, 8).wrId(wrId).signaled();
  }

  private static List<Long> ids(List<WorkCompletion> completions) {
    assertTrue(completions.stream().allMatch(WorkCompletion::isSuccess), completions::toString);
    return completions.stream().map(WorkCompletion::wrId).toList();
  }

  @Test
  void shouldPostAllInTheirOrder() {
    try (Pair pair = Pair.connected()) {
      pair.a.fill(9);
      pair.a.qp.postSend(List.of(write(pair, 0), write(pair, 1), write(pair, 2)));
      pair.a.qp.postSend(List.of());
      pair.run();
      assertEquals(List.of(0L, 1L, 2L), ids(pair.a.sent()));
      pair.assertSame(0, 0, 24);
    }
  }

  @Test
  void shouldNameTheRequestThatIsRefusedAndPostThoseBeforeIt() {
    try (Pair pair = Pair.connected()) {
      WorkRequest wrong = write(pair, 2).inline(pair.a.memory.asSlice(0, 8));
      BadRequestException refused = assertThrows(BadRequestException.class,
          () -> pair.a.qp.postSend(List.of(write(pair, 0), write(pair, 1), wrong, write(pair, 3))));
      assertEquals(2, refused.index());
      assertSame(wrong, refused.request());
      assertEquals(Errno.EINVAL, refused.errno());
      assertTrue(refused.getMessage().startsWith("EINVAL: request 2 of 4 (wrId 2) is refused, those before it are posted: the request has "
          + "inline data and scatter/gather elements"), refused.getMessage());
      pair.run();
      assertEquals(List.of(0L, 1L), ids(pair.a.sent()), "their doorbell was rung");
    }
  }

  @Test
  void shouldPostNothingOfAListWithNull() {
    try (Pair pair = Pair.connected()) {
      SharedReceiveQueue srq = pair.a.hca.createSrq(pair.a.pd, new SrqAttr(8, 2, 0));
      ReceiveRequest receive = new ReceiveRequest().receive(1).sge(pair.a.mr, 0, 8);
      assertNamed(1, () -> pair.a.qp.postSend(Arrays.asList(write(pair, 0), null, write(pair, 2))));
      assertNamed(2, () -> pair.a.qp.postReceive(Arrays.asList(receive, receive, null)));
      assertNamed(1, () -> srq.postReceive(Arrays.asList(receive, null)));
      pair.run();
      assertEquals(List.of(), pair.a.sent());
      assertEquals(List.of(0, 0), List.of(pair.a.qp.sendSlotsTaken(), pair.a.qp.receiveSlotsTaken()));
      assertEquals(0, srq.size());
    }
  }

  private static void assertNamed(int index, Runnable post) {
    assertEquals("element " + index + " of requests is null", assertThrows(NullPointerException.class, post::run).getMessage());
  }

  @Test
  void shouldRefuseInlineDataThatWasFreed() {
    try (Pair pair = Pair.connected()) {
      Arena arena = Arena.ofShared();
      WorkRequest request = new WorkRequest().write(pair.b.mr.addr(), pair.b.mr.rkey()).inline(arena.allocate(8)).signaled();
      arena.close();
      for (int i = 0; i < 2 * Pair.QpShape.DEFAULT.depth(); i++) { // More often than there are slots.
        VerbsException refused = assertThrows(VerbsException.class, () -> pair.a.send(request));
        assertEquals(Errno.EINVAL, refused.errno());
        assertTrue(refused.getMessage().contains("the memory of 8 bytes inline was freed"), refused.getMessage());
      }
      BadRequestException second = assertThrows(BadRequestException.class, () -> pair.a.qp.postSend(List.of(
          new WorkRequest().write(pair.b.mr.addr(), pair.b.mr.rkey()).inline(pair.a.memory.asSlice(0, 8)).signaled(), request)));
      assertEquals(1, second.index());
      pair.run();
      assertEquals(WcStatus.SUCCESS, pair.a.oneSent().status());
    }
  }

  @Test
  void shouldPostWhatFits() {
    try (Pair pair = new Pair(1, LinkFaults.NONE, new Pair.QpShape(4, 64, false), Access.ALL).connect(attr -> {})) {
      List<WorkRequest> six = new ArrayList<>();
      List<ReceiveRequest> receives = new ArrayList<>();
      for (int i = 0; i < 6; i++) {
        six.add(write(pair, i));
        receives.add(new ReceiveRequest().receive(i).sge(pair.b.mr, 0, 8));
      }
      BadRequestException full = assertThrows(BadRequestException.class, () -> pair.a.qp.postSend(six));
      assertEquals(List.of(Errno.ENOMEM, 4), List.of(full.errno(), full.index()));
      BadRequestException fullToo = assertThrows(BadRequestException.class, () -> pair.b.qp.postReceive(receives));
      assertEquals(List.of(Errno.ENOMEM, 4), List.of(fullToo.errno(), fullToo.index()));
      assertSame(receives.get(4), fullToo.request());
      assertEquals(4, pair.b.qp.receiveQueueSize());
      pair.run();
      assertEquals(List.of(0L, 1L, 2L, 3L), ids(pair.a.sent()));
    }
  }

  /** The peer waits for a receive: each of a list that is posted ends a wait. */
  @Test
  void shouldEndAWaitForReceives() {
    try (Pair pair = Pair.connected()) {
      for (int i = 0; i < 3; i++) {
        pair.a.send(pair.a.wr.send().sge(pair.a.mr, 0, 8).wrId(i).signaled());
      }
      pair.runUntil(() -> pair.a.counters().rnrNaksReceived() > 0);
      pair.b.qp.postReceive(List.of(new ReceiveRequest().receive(5).sge(pair.b.mr, 0, 8), new ReceiveRequest().receive(6).sge(pair.b.mr, 0, 8),
          new ReceiveRequest().receive(7).sge(pair.b.mr, 0, 8)));
      pair.run();
      assertEquals(List.of(5L, 6L, 7L), ids(pair.b.received()));
      assertEquals(0, pair.a.counters().rnrTimeouts());
    }
  }

  @Test
  void shouldPostToASharedQueueToo() {
    try (Pair pair = new Pair()) {
      SharedReceiveQueue srq = pair.b.hca.createSrq(pair.b.pd, new SrqAttr(2, 1, 0));
      ReceiveRequest one = new ReceiveRequest().receive(1).sge(pair.b.mr, 0, 8);
      BadRequestException full = assertThrows(BadRequestException.class, () -> srq.postReceive(List.of(one, one, one)));
      assertEquals(List.of(Errno.ENOMEM, 2), List.of(full.errno(), full.index()));
      assertEquals(2, srq.size());
      assertTrue(full.getMessage().contains("an arriving message frees a slot"), full.getMessage());
    }
  }

  @Test
  void shouldSendInlineDataFromSeveralPlaces() {
    try (Pair pair = Pair.connected()) {
      MemorySegment heap = MemorySegment.ofArray("one ".getBytes(StandardCharsets.US_ASCII));
      MemorySegment other = pair.a.memory.asSlice(100, 5);
      other.copyFrom(MemorySegment.ofArray("two t".getBytes(StandardCharsets.US_ASCII)));
      MemorySegment last = MemorySegment.ofArray("hree".getBytes(StandardCharsets.US_ASCII));
      pair.a.send(pair.a.wr.write(pair.b.mr.addr(), pair.b.mr.rkey()).inline(heap).inline(other).inline(last).signaled());
      heap.fill((byte) 0);
      other.fill((byte) 0);
      pair.run();
      assertTrue(pair.a.oneSent().isSuccess());
      byte[] got = pair.b.memory.asSlice(0, 13).toArray(java.lang.foreign.ValueLayout.JAVA_BYTE);
      assertEquals("one two three", new String(got, StandardCharsets.US_ASCII));
      VerbsException tooLong = assertThrows(VerbsException.class,
          () -> pair.a.send(pair.a.wr.send().inline(pair.a.memory.asSlice(0, 200)).inline(pair.a.memory.asSlice(0, 57))));
      assertEquals("EINVAL: the request has 257 bytes inline, queue pair 17 was created for at most 256", tooLong.getMessage());
    }
  }
}
