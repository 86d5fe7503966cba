package dev.weft.dsm.sync;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.weft.dsm.wire.DsmMessage;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Who hears that the holder of a lock was lost. */
class LockLossTest {
  private final List<DsmMessage> sent = new ArrayList<>();

  @Test
  void shouldSendBackWhatNobodyWasTold() {
    LockNode<String> node = new LockNode<>(7, () -> 0, new LockWord(), (to, message) -> sent.add(message), woken -> { });
    node.onWait("thread");
    node.cancel("thread");
    node.onGrant(true, true);
    assertEquals(new DsmMessage.LockReturn(7, false, true), sent.getLast());
  }

  @Test
  void shouldTellTheNextNodeWhatNobodyWasTold() {
    LockHome home = new LockHome(7, (to, message) -> sent.add(message));
    home.onRequest(1);
    home.onRequest(2);
    home.onRequest(3);
    home.onNodeLost(1);
    assertEquals(new DsmMessage.LockGrant(7, true, true), sent.getLast());
    home.onReturn(2, false, true);
    assertEquals(new DsmMessage.LockGrant(7, false, true), sent.getLast());
  }

  private LockHome tookOver(int had) {
    LockHome home = LockHome.takeOver(7, (to, message) -> sent.add(message));
    home.onWasHome(false, had);
    home.onRequest(1);
    return home;
  }

  @Test
  void shouldTellOfAHolderThatWasLostBeforeItSaidThatItHadTheLock() {
    tookOver(2).onGathered(1L << 2); // It was lost before this one took over.
    assertEquals(List.of(new DsmMessage.LockGrant(7, false, true)), sent);
    sent.clear();
    LockHome other = tookOver(2);
    other.onNodeLost(2);
    other.onGathered(1L << 2);
    assertEquals(List.of(new DsmMessage.LockGrant(7, false, true)), sent);
  }

  @Test
  void shouldTellOfNoLossWhereNobodyHadItOrTheHolderSaysSo() {
    tookOver(-1).onGathered(0);
    assertEquals(List.of(new DsmMessage.LockGrant(7, false, false)), sent);
    sent.clear();
    LockHome other = tookOver(2);
    other.onHolds(2);
    other.onGathered(0);
    other.onReturn(2, false, false);
    assertEquals(List.of(new DsmMessage.LockRecall(7), new DsmMessage.LockGrant(7, false, false)), sent);
  }

  /** Its return was on the way to the home before when that said what it knew. */
  @Test
  void shouldTellOfNoLossWhereTheHolderGaveItBackToTheHomeBefore() {
    tookOver(2).onGathered(1L << 3);
    assertEquals(List.of(new DsmMessage.LockGrant(7, false, false)), sent);
  }

  @Test
  void shouldTellWhatTheHomeBeforeHeardAfterItHadHandedTheLockOn() {
    LockHome home = tookOver(2);
    home.onWasHome(true, -1);
    home.onGathered(0);
    assertEquals(List.of(new DsmMessage.LockGrant(7, false, true)), sent);
  }

  @Test
  void shouldHandOnWhoHasItWhenItRetires() {
    LockHome home = new LockHome(7, (to, message) -> sent.add(message));
    home.onRequest(2);
    home.retire();
    assertEquals(2, home.handedOn());
    home.onReturn(2, false, false);
    assertEquals(-1, home.handedOn());
    assertEquals(2, tookOver(2).handedOn(), "and so does the next one if it retires before it knows");
  }

  @Test
  void shouldTakeALockFromAThreadThatKeepsIt() {
    LockWord word = new LockWord();
    LockNode<String> node = new LockNode<>(7, () -> 0, word, (to, message) -> sent.add(message), woken -> { });
    node.onWait("thread");
    node.onGrant(false, false);
    node.leave();
    sent.clear();
    node.abandon();
    node.abandon();
    node.onRelease();
    assertEquals(List.of(new DsmMessage.LockReturn(7, false, true)), sent);
    assertEquals(LockWord.AWAY, word.get());
  }
}
