package dev.weft.dsm.home;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.weft.dsm.sharing.HomeObserver;
import dev.weft.dsm.wire.DsmMessage;
import dev.weft.dsm.wire.ObjectSpec;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a home does when nodes are lost that it had to do with. */
class HomeCoreLossTest {
  private record Sent(int node, DsmMessage message) {}

  private long members = 0b1111;
  private final List<Sent> sent = new ArrayList<>();
  private long leaving;
  private final HomeCore home = new HomeCore(0, true, (node, message) -> sent.add(new Sent(node, message)), () -> members, () -> members & ~leaving,
      HomeObserver.NONE);

  HomeCoreLossTest() {
    home.add(new ObjectSpec(1, ObjectSpec.Kind.LONGS, "words", 1, 8, 0, 0, 1), 0);
  }

  private void lose(int node) {
    members &= ~(1L << node);
    home.onNodeLost(node);
  }

  private DsmMessage last() {
    return sent.getLast().message;
  }

  @Test
  void shouldNotLetAnybodyWriteBeforeAReaderHasHeardThatItsCopyGoes() {
    home.onRequest(0, 1, false);
    home.onConfirm(0, 1, 1);
    home.onRequest(0, 2, true);
    assertEquals(new Sent(1, new DsmMessage.Invalidate(0, 2)), sent.getLast());
    lose(2);
    home.onRequest(0, 3, true);
    assertEquals(new Sent(1, new DsmMessage.Invalidate(0, 3)), sent.getLast());
    home.onInvalidated(0, 2, 1);
    assertEquals(new DsmMessage.Invalidate(0, 3), last());
    home.onInvalidated(0, 3, 1);
    assertEquals(new Sent(0, new DsmMessage.ForwardWrite(0, 3, 3)), sent.getLast());
  }

  @Test
  void shouldGiveAMinipageBackToANodeThatStaysWhereItsWriterIsLost() {
    home.onRequest(0, 1, true);
    home.onConfirm(0, 1, 1);
    for (int reader = 2; reader < 4; reader++) {
      home.onRequest(0, reader, false);
      home.onConfirm(0, reader, reader);
    }
    leaving = 1L << 1;
    home.onRequest(0, 2, true);
    lose(2);
    home.onInvalidated(0, 4, 1);
    home.onInvalidated(0, 4, 3);
    assertEquals(3, sent.getLast().node);
    assertEquals(DsmMessage.Grant.class, last().getClass());
  }

  @Test
  void shouldNotLetAnybodyReadByRdmaWhatAnOwnerMayStillWrite() {
    home.onRequest(0, 1, true);
    home.onConfirm(0, 1, 1);
    home.onRequest(0, 2, false);
    assertEquals(new Sent(1, new DsmMessage.ForwardRead(0, 2, 2)), sent.getLast());
    lose(2);
    home.onRequest(0, 3, false);
    assertEquals(DsmMessage.ForwardRead.class, last().getClass());
    assertEquals(1, sent.getLast().node);
  }
}
