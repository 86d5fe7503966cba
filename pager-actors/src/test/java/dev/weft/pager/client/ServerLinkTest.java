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
