package dev.weft.dsm.sync;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.dsm.wire.DsmMessage.LockRequest;
import dev.weft.dsm.wire.DsmMessage.LockReturn;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class LockNodeTest {
  private static final int HOME = 5;
  private final SentMessages sent = new SentMessages();
  private final List<String> woken = new ArrayList<>();
  /** What other threads do just before the node changes the word, in order. */
  private final ArrayDeque<Runnable> inBetween = new ArrayDeque<>();
  private final LockWord word = new LockWord() {
    @Override
    boolean change(int from, int to) {
      if (!inBetween.isEmpty()) {
        inBetween.poll().run();
      }
      return super.change(from, to);
    }
  };
  private final LockNode<String> lock = new LockNode<>(7, () -> HOME, word, sent, woken::add);

  private void comesTo(String thread) {
    lock.onWait(thread);
    sent.shouldBe(HOME, new LockRequest(7));
    lock.onGrant(false, false);
    assertEquals(List.of(thread), woken);
    woken.clear();
  }

  private void isReleased() {
    if (!word.tryRelease()) {
      lock.onRelease();
    }
  }

  @Test
  void shouldAskItsHomeOnceForAllThreads() {
    lock.onWait("a");
    sent.shouldBe(HOME, new LockRequest(7));
    lock.onWait("b");
    sent.shouldBeNothing();
    lock.onGrant(false, false);
    assertEquals(List.of("a"), woken);
    isReleased();
    assertEquals(List.of("a", "b"), woken);
    isReleased();
    sent.shouldBeNothing();
    assertTrue(lock.isHere());
    assertFalse(lock.isHeld());
  }

  @Test
  void shouldBeTakenWithoutAMessageWhileItIsHere() {
    comesTo("a");
    assertTrue(word.tryRelease());
    assertTrue(word.tryTake());
    assertFalse(word.tryTake());
    assertTrue(word.tryRelease());
    sent.shouldBeNothing();
  }

  @Test
  void shouldGiveAFreeLockBackAtOnceWhenItIsRecalled() {
    comesTo("a");
    isReleased();
    lock.onRecall();
    sent.shouldBe(HOME, new LockReturn(7, false, false));
    assertFalse(lock.isHere());
    assertFalse(word.tryTake());
  }

  @Test
  void shouldGiveItBackWhenItIsReleased() {
    comesTo("a");
    lock.onRecall();
    sent.shouldBeNothing();
    assertFalse(word.tryRelease(), "who releases it must tell");
    lock.onRelease();
    sent.shouldBe(HOME, new LockReturn(7, false, false));
  }

  @Test
  void shouldWantItAgainForThreadsThatWaitWhenItIsRecalled() {
    comesTo("a");
    lock.onWait("b");
    lock.onRecall();
    isReleased();
    sent.shouldBe(HOME, new LockReturn(7, true, false));
    lock.onWait("c");
    sent.shouldBeNothing();
    lock.onGrant(true, false);
    assertEquals(List.of("b"), woken);
    isReleased();
    sent.shouldBe(HOME, new LockReturn(7, true, false));
  }

  @Test
  void shouldLetOneThreadHaveWhatIsRecalledAlready() {
    lock.onWait("a");
    sent.shouldBe(HOME, new LockRequest(7));
    lock.onGrant(true, false);
    assertEquals(List.of("a"), woken);
    isReleased();
    sent.shouldBe(HOME, new LockReturn(7, false, false));
  }

  @Test
  void shouldIgnoreARecallThatCrossesItsReturn() {
    comesTo("a");
    lock.onRecall();
    isReleased();
    sent.shouldBe(HOME, new LockReturn(7, false, false));
    lock.onRecall();
    sent.shouldBeNothing();
    comesTo("b");
    assertTrue(word.tryRelease(), "nobody else wants it");
  }

  @Test
  void shouldKeepWhatIsGrantedWhenNobodyWaitsAnyMore() {
    lock.onWait("a");
    assertTrue(lock.cancel("a"));
    assertFalse(lock.cancel("a"));
    lock.onGrant(false, false);
    assertTrue(word.tryTake());
  }

  @Test
  void shouldGiveBackWhatIsGrantedAndRecalledWhenNobodyWaitsAnyMore() {
    lock.onWait("a");
    lock.cancel("a");
    sent.shouldBe(HOME, new LockRequest(7));
    lock.onGrant(true, false);
    sent.shouldBe(HOME, new LockReturn(7, false, false));
    assertEquals(List.of(), woken);
  }

  @Test
  void shouldTellTheFirstThreadThatTheHolderWasLost() {
    lock.onWait("a");
    lock.onGrant(false, true);
    assertTrue(word.takeHolderLost());
    assertFalse(word.takeHolderLost());
  }

  @Test
  void shouldGiveUpThoseThatWaitWhenItsHomeIsLost() {
    lock.onWait("a");
    lock.onWait("b");
    assertEquals(List.of("a", "b"), List.copyOf(lock.giveUp()));
    assertEquals(0, lock.waiting());
  }

  // Threads take and release the word while the node looks at it.

  @Test
  void shouldHandOnWhatIsReleasedWhileAThreadBeginsToWait() {
    comesTo("a");
    inBetween.add(() -> {});
    inBetween.add(() -> assertTrue(word.tryRelease()));
    lock.onWait("b");
    assertEquals(List.of("b"), woken);
  }

  @Test
  void shouldNotForgetAThreadThatWaitsWhereOthersReleaseAndTakeTheLockMeanwhile() {
    comesTo("a");
    inBetween.add(() -> {});
    inBetween.add(() -> assertTrue(word.tryRelease()));
    inBetween.add(() -> assertTrue(word.tryTake()));
    lock.onWait("b");
    assertEquals(List.of(), woken);
    isReleased();
    assertEquals(List.of("b"), woken);
  }

  @Test
  void shouldNotForgetARecallWhereOthersReleaseAndTakeTheLockMeanwhile() {
    comesTo("a");
    inBetween.add(() -> {});
    inBetween.add(() -> assertTrue(word.tryRelease()));
    inBetween.add(() -> assertTrue(word.tryTake()));
    lock.onRecall();
    sent.shouldBeNothing();
    isReleased();
    sent.shouldBe(HOME, new LockReturn(7, false, false));
  }

  /** The bound of re-acquisitions: none, from the moment in which the node has heard that another one waits. */
  @Test
  @Timeout(180)
  void shouldNotBeTakenAgainAfterARecallByAThreadThatDoesNothingElse() throws InterruptedException {
    comesTo("a");
    AtomicInteger taken = new AtomicInteger();
    AtomicBoolean mustTell = new AtomicBoolean();
    Thread eager = Thread.ofPlatform().daemon().start(() -> {
      boolean has = true;
      while (has) {
        taken.incrementAndGet();
        if (!word.tryRelease()) {
          mustTell.set(true);
          return;
        }
        has = word.tryTake();
      }
    });
    while (taken.get() < 10_000) {
      Thread.onSpinWait();
    }
    lock.onRecall();
    int before = taken.get();
    assertTrue(eager.join(Duration.ofSeconds(5)), "it still takes it");
    assertTrue(taken.get() <= before + 1, "the one that it had taken before, perhaps, and not " + (taken.get() - before) + " more");
    if (mustTell.get()) {
      sent.shouldBeNothing();
      lock.onRelease();
    }
    sent.shouldBe(HOME, new LockReturn(7, false, false));
    assertFalse(word.tryTake());
  }
}
