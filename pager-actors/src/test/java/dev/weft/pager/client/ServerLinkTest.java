package dev.weft.pager.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.pager.client.DeviceRequest.Part;
import dev.weft.pager.wire.PagerOp;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ServerLinkTest {
  private final ServerLink link = new ServerLink(0, new ServerSpec("n", "pager", 1 << 20));

  private static Part part(long offset) {
    return new Part(new DeviceRequest(PagerOp.READ, offset, 1, 0, null, errno -> { }), 0, offset, 1);
  }

  @Test
  void shouldSendInOrderUnderItsCredits() {
    link.granted(2);
    List<Part> parts = List.of(part(0), part(1), part(2));
    link.waiting.addAll(parts);
    long first = link.dispatch(0);
    long second = link.dispatch(0);
    assertEquals(0, link.creditsFree());
    assertSame(parts.get(1), link.take(second));
    long third = link.dispatch(0);
    assertSame(parts.get(2), link.take(third));
    assertSame(parts.get(0), link.take(first));
    assertEquals(2, link.creditsFree());
  }

  @Test
  void shouldNotTakeAnAnswerTwiceNorAnUnknownOne() {
    link.granted(1);
    link.waiting.add(part(0));
    long id = link.dispatch(0);
    assertNull(link.take(id + 1));
    assertNull(link.take(-1));
    link.take(id);
    assertNull(link.take(id));
    link.waiting.add(part(1));
    assertNotEquals(id, link.dispatch(0));
    assertNull(link.take(id), "the credit was used again, the old id is void");
  }

  @Test
  void shouldNoticeThePartThatWaitsTooLong() {
    link.granted(2);
    link.waiting.add(part(0));
    link.waiting.add(part(1));
    link.dispatch(100);
    link.dispatch(200);
    assertFalse(link.hasOlderThan(99));
    assertTrue(link.hasOlderThan(100));
  }

  private static Part write(long offset, long length) {
    return new Part(new DeviceRequest(PagerOp.WRITE, offset, length, 0, null, errno -> { }), 0, offset, length);
  }

  @Test
  void shouldSendAgainInOrderWhatWasSentWhenTheConnectionIsLost() {
    link.granted(3);
    List<Part> parts = List.of(write(0, 10), part(5), write(20, 10), part(7), write(0, 10));
    link.waiting.addAll(parts);
    link.take(link.dispatch(0)); // Its slot is used again, by one that is sent later.
    link.dispatch(0);
    link.dispatch(0);
    link.dispatch(0);
    assertEquals(List.of(), link.takeBack());
    assertEquals(parts.subList(1, 5), List.copyOf(link.waiting));
    assertEquals(3, link.creditsFree());
  }

  @Test
  void shouldNotSendAWriteAgainThatAnotherMayHaveOverwritten() {
    link.granted(8);
    Part before = write(0, 10);
    Part overwritten = write(10, 10);
    Part other = write(18, 4);
    Part beside = write(40, 10);
    Part besideIt = write(49, 2);
    Part safe = write(30, 10);
    link.waiting.addAll(List.of(before, overwritten, other, beside, besideIt, safe, part(12)));
    long first = link.dispatch(0);
    link.changed(link.take(first)); // Acknowledged before the next were sent.
    link.dispatch(0);
    long overwriting = link.dispatch(0);
    for (int i = 0; i < 4; i++) {
      link.dispatch(0);
    }
    link.changed(link.take(overwriting));
    assertEquals(Set.of(overwritten, beside, besideIt), Set.copyOf(link.takeBack()));
    assertEquals(List.of(safe), link.waiting.stream().filter(one -> one.request().op == PagerOp.WRITE).toList());
    assertEquals(2, link.waiting.size(), "and the read");
  }

  @Test
  void shouldNotTrustItsMemoryOfChangesForLongerThanItLasts() {
    link.granted(2);
    Part old = write(1 << 19, 10);
    link.waiting.add(old);
    link.dispatch(0);
    for (int i = 0; i < 1025; i++) {
      link.changed(write(i, 1));
    }
    assertEquals(List.of(old), link.takeBack());
  }

  @Test
  void shouldKeepTheProbeOfAConnectionWhenNobodyWaitsAnyMoreAndDropItWithTheConnection() {
    link.granted(1);
    Part probe = part(0);
    link.probe = probe.request();
    link.waiting.add(probe);
    long id = link.dispatch(0);
    link.waiting.add(part(1));
    assertEquals(1, link.takeAll().size());
    assertEquals(1, link.outstandingCount());
    assertSame(probe, link.take(id));
    link.waiting.add(probe);
    link.dispatch(0);
    assertEquals(List.of(), link.takeBack());
    assertTrue(link.waiting.isEmpty());
    assertEquals(1, link.creditsFree());
  }

  @Test
  void shouldHandOverEverythingWhenItDies() {
    link.granted(1);
    link.waiting.addAll(List.of(part(0), part(1)));
    link.dispatch(0);
    assertEquals(2, link.takeAll().size());
    assertEquals(0, link.outstandingCount());
    assertTrue(link.takeAll().isEmpty());
  }
}
