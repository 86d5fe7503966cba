package dev.weft.dsm.home;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.dsm.wire.DsmMessage.Confirm;
import dev.weft.dsm.wire.DsmMessage.ForwardRead;
import dev.weft.dsm.wire.DsmMessage.ForwardWrite;
import dev.weft.dsm.wire.DsmMessage.Grant;
import dev.weft.dsm.wire.DsmMessage.HomeIs;
import dev.weft.dsm.wire.DsmMessage.HomeMoves;
import dev.weft.dsm.wire.DsmMessage.Sought;
import dev.weft.dsm.wire.DsmMessage.Wanted;
import dev.weft.dsm.wire.HomePlacement;
import dev.weft.dsm.wire.ObjectSpec;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Node 0 is the anchor of minipage 100; nodes 0 to 3 are there. */
class MovingHomesTest {
  private static final int PAGE = 100;
  private static final ObjectSpec SPEC = new ObjectSpec(1, ObjectSpec.Kind.LONGS, "words", 1, 8, 0, PAGE, 0b1, HomePlacement.DYNAMIC);

  private final List<String> sent = new ArrayList<>();
  private final HomeCore homes = new HomeCore(0, true, (node, message) -> sent.add(node + " " + message), () -> 0b1111);
  private boolean mayMove = true;
  private int anchor;
  private final MovingHomes moving =
      new MovingHomes(0, homes, (node, message) -> sent.add(node + " " + message), minipage -> true, minipage -> anchor, () -> mayMove);

  @BeforeEach
  void add() {
    homes.add(SPEC, 0);
  }

  private void shouldHaveSent(String... expected) {
    assertEquals(List.of(expected), List.copyOf(sent));
    sent.clear();
  }

  private static Sought sought(int requester, Wanted wanted, int hops, long path, boolean isKnown) {
    return new Sought(PAGE, requester, wanted, -1, -1, (byte) hops, path, isKnown);
  }

  /** The home has moved to node 2. */
  private void movesTo2() {
    moving.onRequest(PAGE, 2, true, -1, -1);
    homes.onConfirm(PAGE, 1, 2);
    shouldHaveSent("0 " + new ForwardWrite(PAGE, 1, 2), "2 " + new HomeMoves(PAGE, 1, 0, 0));
  }

  @Test
  void shouldGiveItsPlaceToWhoHasConfirmedAWriteAndSendOnWhatWaits() {
    moving.onRequest(PAGE, 2, true, -1, -1);
    moving.onRequest(PAGE, 3, false, 4, 5);
    moving.onSought(sought(1, Wanted.WRITE, 1, 0b1000, false));
    sent.clear();
    homes.onConfirm(PAGE, 1, 2);
    shouldHaveSent("2 " + new HomeMoves(PAGE, 1, 0, 0), "2 " + sought(3, Wanted.READ, 1, 0, true), "2 " + sought(1, Wanted.WRITE, 2, 0b1000, true));
    assertEquals(2, moving.homeOf(PAGE));
    assertEquals(1, moving.moves());
  }

  @Test
  void shouldStayTheHomeOfWhatItWritesItselfAndOfWhatIsRead() {
    moving.onRequest(PAGE, 1, false, -1, -1);
    homes.onConfirm(PAGE, 1, 1);
    moving.onRequest(PAGE, 0, true, -1, -1);
    homes.onInvalidated(PAGE, 2, 1);
    homes.onConfirm(PAGE, 2, 0);
    assertEquals(0, moving.homeOf(PAGE));
    assertEquals(0, moving.moves());
  }

  @Test
  void shouldSendOnWhatComesToAHomeThatHasMoved() {
    movesTo2();
    moving.onRequest(PAGE, 1, false, 3, 4);
    moving.onPush(PAGE, 3);
    shouldHaveSent("2 " + new Sought(PAGE, 1, Wanted.READ, 3, 4, (byte) 1, 1, false), "2 " + sought(3, Wanted.PUSH, 1, 1, true));
  }

  @Test
  void shouldFollowTheYoungestHint() {
    movesTo2();
    moving.see(3, new HomeIs(PAGE, 5));
    moving.see(1, new Grant(PAGE, 4, false));
    assertEquals(3, moving.homeOf(PAGE));
  }

  @Test
  void shouldCountOnFromTheNumberOfTheHomeBefore() {
    movesTo2();
    moving.onMoves(new HomeMoves(PAGE, 7, 0b1001, 0));
    shouldHaveSent("3 " + new HomeIs(PAGE, 7));
    assertEquals(0, moving.homeOf(PAGE));
    moving.onRequest(PAGE, 1, false, -1, -1);
    shouldHaveSent("0 " + new ForwardRead(PAGE, 8, 1));
  }

  @Test
  void shouldNotMoveWhileItMayNot() {
    mayMove = false;
    moving.onRequest(PAGE, 2, true, -1, -1);
    homes.onConfirm(PAGE, 1, 2);
    assertEquals(0, moving.homeOf(PAGE));
  }

  @Test
  void shouldBeTheHomeAgainWhenANodeIsLost() {
    movesTo2();
    moving.reset();
    homes.takeOver(SPEC, 0b1000);
    assertEquals(0, moving.homeOf(PAGE));
    moving.onRequest(PAGE, 1, false, -1, -1);
    shouldHaveSent(); // Not all have said what they have.
    homes.onHolds(PAGE, 1, (byte) 2, 2);
    homes.onGathered();
    shouldHaveSent("2 " + new ForwardRead(PAGE, 1, 1));
  }

  @Test
  void shouldGiveUpARequestThatGoesRound() {
    movesTo2();
    moving.onSought(sought(1, Wanted.READ, MovingHomes.HOPS_MAX - 2, 0, false));
    assertThrows(IllegalArgumentException.class, () -> moving.onSought(sought(1, Wanted.READ, MovingHomes.HOPS_MAX - 1, 0, false)));
  }

  @Test
  void shouldForgetWhatWasFreed() {
    movesTo2();
    anchor = MovingHomes.NO_HOME;
    moving.onMoves(new HomeMoves(PAGE, 7, 0, 0));
    moving.onRequest(PAGE, 1, false, -1, -1);
    shouldHaveSent();
    assertEquals(0, homes.minipages());
  }

  @Test
  void shouldPushOnlyToThoseThatHaveAsked() {
    moving.onRequest(PAGE, 1, false, -1, -1);
    homes.onConfirm(PAGE, 1, 1);
    homes.onNodeLost(1);
    sent.clear();
    moving.onRequest(PAGE, 2, false, -1, -1);
    homes.onConfirm(PAGE, 2, 2);
    sent.clear();
    moving.onPush(PAGE, 2);
    shouldHaveSent("0 " + new ForwardRead(PAGE, 3, 1));
  }

  @Test
  void shouldCountMessagesThatAFaultWaitsFor() {
    moving.onRequest(PAGE, 1, false, -1, -1); // To the home, which has the data: 2.
    homes.onConfirm(PAGE, 1, 1);
    moving.onSought(sought(2, Wanted.WRITE, 2, 0, false)); // By two others: 3; node 1 gives its copy up: 2; the data: 1.
    homes.onInvalidated(PAGE, 2, 1);
    assertTrue(sent.contains("0 " + new ForwardWrite(PAGE, 2, 2)), sent::toString);
    homes.onConfirm(PAGE, 2, 2);
    assertEquals(2, homes.served());
    assertEquals(2 + 6, homes.hops());
  }

  @Test
  void shouldNotHeedAConfirmForWhatHasMoved() {
    movesTo2();
    homes.onConfirm(PAGE, new Confirm(PAGE, 1).op(), 2);
    shouldHaveSent();
    assertEquals(1, homes.stale());
  }
}
