package dev.weft.dsm.release;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.dsm.access.Rights;
import dev.weft.dsm.wire.DsmMessage;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The protocol of some nodes, whose messages come when the test says so. */
class ReleaseCoreTest extends ReleaseNodes {
  @Test
  void shouldTellChangesAtAReleaseAndNotBefore() {
    start(3, 1 << 20);
    assertEquals(0, nodes.get(2).get(5));
    nodes.get(1).set(5, 50);
    deliver();
    assertEquals(0, nodes.get(2).get(5));
    nodes.get(1).release();
    assertFalse(nodes.get(1).told.contains("released"));
    deliver(each -> each.to() != 2);
    assertFalse(nodes.get(1).told.contains("released"), "node 2 has not got it");
    deliver();
    assertTrue(nodes.get(1).told.contains("released"));
    assertEquals(50, nodes.get(2).get(5));
    assertEquals(50, nodes.get(0).get(5));
  }

  @Test
  void shouldHoldBackWhatOthersWouldTakeForARelease() {
    start(2, 1 << 20);
    nodes.get(1).get(0);
    nodes.get(0).set(0, 1);
    nodes.get(0).core.outbox().send(1, new DsmMessage.LockReturn(9, false, false));
    nodes.get(0).core.outbox().send(1, new DsmMessage.LockRequest(9));
    nodes.get(0).core.outbox().send(1, new DsmMessage.LockGrant(8, false, false)); // Of a home.
    assertEquals(List.of("LockGrant"), locks());
    deliver(each -> !isOfLock(each));
    assertEquals(List.of("LockGrant", "LockRequest", "LockReturn"), locks());
    assertEquals(1, nodes.get(1).get(0));
  }

  private static boolean isOfLock(Sent each) {
    return each.message() != null && each.message().getClass().getSimpleName().startsWith("Lock");
  }

  private List<String> locks() {
    return sent.stream().filter(ReleaseCoreTest::isOfLock).map(each -> each.message().getClass().getSimpleName()).sorted().toList();
  }

  /** The node answers the wish for updates when all that it has sent is at its receivers. */
  @Test
  void shouldFetchACopyThatHasWhatIsOnItsWay() {
    start(3, 1 << 20);
    nodes.get(1).get(0);
    nodes.get(1).set(0, 10);
    nodes.get(1).release();
    deliver(each -> each.from() != 1); // Its update does not come to the home, which sends the content.
    nodes.get(2).want(0, Rights.READ);
    deliver(each -> each.from() == 2 || each.to() == 2);
    assertEquals(Rights.NONE, nodes.get(2).rights[0]);
    deliver();
    assertEquals(10, nodes.get(2).get(0));
  }

  @Test
  void shouldKeepWhatCameByAnUpdateWhileTheContentWasFetched() {
    start(3, 1 << 20);
    nodes.get(1).set(0, 10);
    nodes.get(1).release();
    deliver();
    nodes.get(2).want(0, Rights.READ);
    deliver(each -> !(each.from() == 0 && each.to() == 2 && (each.message() == null || each.message() instanceof DsmMessage.Updates)));
    nodes.get(1).set(0, 11); // The content with 10 is on its way.
    nodes.get(1).release();
    deliver(each -> each.from() != 0);
    deliver();
    assertEquals(11, nodes.get(2).get(0));
  }

  @Test
  void shouldNotShowInACopyWhatIsTakenBackBeforeTheRelease() {
    start(2, 1 << 20);
    nodes.get(0).set(3, 99);
    assertEquals(0, nodes.get(1).get(3));
    nodes.get(0).set(3, 0);
    nodes.get(0).release();
    deliver();
    assertEquals(0, nodes.get(1).get(3));
  }

  @Test
  void shouldGiveTwinsBackWhenThereIsNoRoomForMore() {
    start(2, MINIPAGE);
    nodes.get(1).get(0);
    for (int i = 0; i < MINIPAGES; i++) {
      nodes.get(0).set(i * WORDS, i + 1);
      assertTrue(nodes.get(0).core.counts().twinBytes() <= 2 * MINIPAGE, "twins of " + nodes.get(0).core.counts().twinBytes());
    }
    nodes.get(0).release();
    deliver();
    for (int i = 0; i < MINIPAGES; i++) {
      assertEquals(i + 1, nodes.get(1).get(i * WORDS));
    }
  }

  @Test
  void shouldKeepATwinWhileAThreadIsInside() {
    start(2, 1 << 20);
    nodes.get(0).set(0, 1);
    nodes.get(0).isInside = true;
    for (int i = 0; i < 20; i++) {
      nodes.get(0).release();
    }
    assertEquals(1, nodes.get(0).core.counts().twins());
    nodes.get(0).frames.set(ValueLayout.JAVA_LONG, 8, 7); // The thread that is inside.
    nodes.get(0).isInside = false;
    for (int i = 0; i < 20; i++) {
      nodes.get(0).release();
    }
    assertEquals(0, nodes.get(0).core.counts().twins());
    assertEquals(7, nodes.get(1).get(1));
  }

  @Test
  void shouldWaitForNothingOfALostNode() {
    start(3, 1 << 20);
    nodes.get(1).get(0);
    nodes.get(2).get(0);
    nodes.get(1).set(0, 5);
    nodes.get(1).release();
    deliver(each -> each.to() != 2);
    lose(2);
    deliver();
    assertTrue(nodes.get(1).told.contains("released"));
    assertEquals(5, nodes.get(0).get(0));
  }

  @Test
  void shouldFetchFromAnotherNodeWhereTheSourceIsLost() {
    start(3, 1 << 20);
    nodes.get(1).set(0, 5);
    nodes.get(1).release();
    deliver();
    nodes.get(2).want(0, Rights.READ);
    deliver(each -> each.from() != 0 || each.message() instanceof DsmMessage.CopyAnswer);
    lose(0);
    deliver();
    assertEquals(5, nodes.get(2).get(0));
    nodes.get(2).want(1, Rights.READ);
    deliver();
    assertEquals("all copies of minipage 1 of \"words\" were on nodes that are lost", nodes.get(2).told.getLast());
  }

  @Test
  void shouldRefuseBatchesThatCannotBe() {
    start(2, 1 << 20);
    ReleaseCore core = nodes.get(0).core;
    assertThrows(IllegalArgumentException.class, () -> core.onMessage(1, new DsmMessage.Updates(1, 0, 64)));
    assertThrows(IllegalArgumentException.class, () -> core.onMessage(1, new DsmMessage.Updates(1, MEMORY + 4096, 1 << 20)));
    assertThrows(IllegalArgumentException.class, () -> core.onMessage(1, new DsmMessage.UpdatesTaken(1)));
    core.onMessage(1, new DsmMessage.CopyAnswer(77, 1, DsmMessage.Copy.COMPLETE)); // Of an array that was freed.
  }

  /** One node at a time writes a word, all nodes write each minipage, and messages come late: nobody reads anything but what was released last. */
  @Test
  void shouldKeepRandomProgramsWithoutRacesInOrder() {
    for (int seed = 0; seed < 20; seed++) {
      nodes.clear();
      sent.clear();
      start(4, seed % 2 == 0 ? MINIPAGE : 1 << 20);
      Random random = new Random(seed);
      long[] expected = new long[MINIPAGES * WORDS];
      for (int round = 0; round < 60; round++) {
        List<Integer> changed = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
          int word = random.nextInt(expected.length / 4) * 4 + (round + i) % 4;
          expected[word] = random.nextInt(4) == 0 ? 0 : random.nextLong();
          nodes.get((word + round) % 4).set(word, expected[word]); // In each round another node has the word.
          changed.add(word);
        }
        int first = random.nextInt(4);
        for (int i = 0; i < 4; i++) {
          nodes.get((first + i) % 4).release();
          int to = random.nextInt(4);
          deliver(each -> each.to() == to);
        }
        deliver();
        for (int word : changed) {
          assertEquals(expected[word], nodes.get(random.nextInt(4)).get(word), "seed " + seed + ", round " + round + ", word " + word);
        }
      }
      for (Node node : nodes) {
        for (int word = 0; word < expected.length; word++) {
          assertEquals(expected[word], node.get(word), "seed " + seed);
        }
      }
    }
  }
}
