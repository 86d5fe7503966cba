package dev.weft.dsm.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.dsm.member.Departure;
import dev.weft.dsm.member.NodeCore;
import dev.weft.dsm.wire.DsmMessage;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** When a node that leaves may go. */
class DepartureTest {
  private record Sent(int node, DsmMessage message) {}

  private final List<Sent> sent = new ArrayList<>();
  private int[] held = {3, 4};
  private int home = 1;
  private boolean hasLocks;
  private int gone;
  private final Departure departure = new Departure((node, message) -> sent.add(new Sent(node, message)), minipage -> home, () -> held, () -> hasLocks,
      () -> gone++);

  @Test
  void shouldAskForNothingBeforeHomesHaveMoved() {
    departure.look();
    assertEquals(List.of(), sent);
    departure.onGathered();
    assertEquals(List.of(new Sent(1, new DsmMessage.Evacuate(3, 1, 1)), new Sent(1, new DsmMessage.Evacuate(4, 1, 1))), sent);
    assertEquals(0, gone);
  }

  @Test
  void shouldGoOnceWhenOthersHaveEverythingAndNoLockIsHere() {
    hasLocks = true;
    departure.onGathered();
    departure.onSafe(new DsmMessage.Safe(4, 1));
    assertEquals(1, departure.left());
    departure.onSafe(new DsmMessage.Safe(3, 1));
    assertEquals(0, gone);
    hasLocks = false;
    departure.look();
    departure.look();
    departure.onGathered();
    assertEquals(1, gone);
  }

  @Test
  void shouldAskForAllAgainWhenHomesMove() {
    departure.onGathered();
    departure.onSafe(new DsmMessage.Safe(3, 1));
    departure.onHomesMove();
    departure.onSafe(new DsmMessage.Safe(4, 1)); // Of what was so before.
    assertEquals(0, gone);
    home = 2;
    sent.clear();
    departure.onGathered();
    assertEquals(List.of(new Sent(2, new DsmMessage.Evacuate(3, 1, 2)), new Sent(2, new DsmMessage.Evacuate(4, 1, 2))), sent);
    departure.onSafe(new DsmMessage.Safe(4, 1));
    departure.onSafe(new DsmMessage.Safe(3, 2));
    assertEquals(0, gone);
    departure.onSafe(new DsmMessage.Safe(4, 2));
    assertEquals(1, gone);
  }

  @Test
  void shouldNotWaitForWhatWasFreed() {
    departure.onGathered();
    home = NodeCore.NO_HOME;
    departure.look();
    assertEquals(1, gone);
  }

  @Test
  void shouldAskForAFewAtATime() {
    held = IntStream.range(0, 3 * Departure.WINDOW).toArray();
    departure.onGathered();
    assertEquals(Departure.WINDOW, sent.size());
    for (int minipage = 0; minipage < held.length; minipage++) {
      assertEquals(0, gone);
      departure.onSafe(new DsmMessage.Safe(minipage, 1));
      assertTrue(sent.size() <= minipage + 1 + Departure.WINDOW, sent.size() + " are asked for");
    }
    assertEquals(held.length, sent.size());
    assertFalse(gone == 0);
  }
}
