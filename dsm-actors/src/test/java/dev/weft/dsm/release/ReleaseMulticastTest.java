package dev.weft.dsm.release;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.dsm.access.Rights;
import dev.weft.dsm.wire.DsmMessage;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Updates that go to the group: datagrams are lost, come twice, late and in any order. */
class ReleaseMulticastTest extends ReleaseNodes {
  private static final long WAIT_NS = 1_000_000;
  private static final int CUT = 64;

  private long nowNs;

  /** All nodes listen, and have a copy of minipage 0. */
  private void startGroup(int count) {
    multicast = new MulticastSettings(true, 2, WAIT_NS, 8);
    cut = CUT;
    start(count, 1 << 20);
    for (Node node : nodes) {
      for (Node other : nodes) {
        if (other != node) {
          other.core.onMessage(node.self, new DsmMessage.Listens());
        }
      }
    }
    nodes.forEach(node -> node.get(0));
    deliver();
    assertTrue(grams.isEmpty());
  }

  /** Node 1 writes so many words of minipage 0, each 16 bytes from the next, and releases; one entry for each. */
  private void releaseOf(int words, long value) {
    for (int i = 0; i < words; i++) {
      nodes.get(1).set(2 * i, value + i);
    }
    nodes.get(1).release();
  }

  private void ask() {
    for (Node node : nodes) {
      node.core.multicast().askAtNs(nowNs);
    }
    nowNs += WAIT_NS;
    nodes.forEach(node -> node.core.multicast().ask(nowNs));
  }

  private boolean isReleased() {
    return nodes.get(1).told.contains("released");
  }

  private ReleaseCounts counts(int node) {
    return nodes.get(node).core.counts();
  }

  @Test
  void shouldSendABatchOnceForAllCopies() {
    startGroup(4);
    releaseOf(16, 50);
    int parts = grams.size() / 3;
    assertTrue(parts > 2, "parts: " + parts);
    assertTrue(sent.isEmpty(), "nothing on the connections");
    deliverGrams(any -> true);
    assertFalse(isReleased());
    assertEquals(3, sent.size(), "each answers");
    deliver();
    assertTrue(isReleased());
    for (int node = 0; node < 4; node++) {
      assertEquals(65, nodes.get(node).get(30));
    }
    assertEquals(parts, counts(1).datagramsSent());
    assertEquals(1, counts(1).multicasts());
    assertEquals(parts, counts(2).datagramsPlaced());
  }

  @Test
  void shouldRepairABatchOfWhichADatagramWasLost() {
    startGroup(4);
    releaseOf(16, 50);
    deliverGrams(each -> !(each.to() == 2 && each.part().at() == CUT));
    grams.clear();
    deliver();
    assertFalse(isReleased());
    assertEquals(0, nodes.get(2).get(30), "no part of a batch is seen that is not whole");
    ask();
    deliver();
    assertTrue(isReleased());
    assertEquals(65, nodes.get(2).get(30));
    assertEquals(1, counts(1).asked());
    assertEquals(1, counts(1).repairs());
  }

  @Test
  void shouldRepairABatchThatWasLostAltogether() {
    startGroup(3);
    releaseOf(1, 50);
    grams.clear();
    deliver();
    assertFalse(isReleased());
    ask();
    deliver();
    assertTrue(isReleased());
    assertEquals(50, nodes.get(2).get(0));
    assertEquals(2, counts(1).repairs());
  }

  @Test
  void shouldNotAskTwiceNorBeforeItsTime() {
    startGroup(3);
    releaseOf(1, 50);
    assertEquals(5 + WAIT_NS, nodes.get(1).core.multicast().askAtNs(5));
    nodes.get(1).core.multicast().ask(4 + WAIT_NS);
    assertTrue(sent.isEmpty());
    nodes.get(1).core.multicast().ask(5 + WAIT_NS);
    assertEquals(2, sent.size());
    nodes.get(1).core.multicast().ask(5 + 9 * WAIT_NS);
    assertEquals(2, sent.size());
    assertEquals(Long.MAX_VALUE, nodes.get(1).core.multicast().askAtNs(6));
  }

  @Test
  void shouldTakeADatagramThatComesTwiceOnce() {
    startGroup(3);
    releaseOf(16, 50);
    List<Gram> all = List.copyOf(grams);
    deliverGrams(each -> each.part().at() == 0);
    all.stream().filter(each -> each.part().at() == 0).forEach(this::hand);
    assertTrue(sent.isEmpty(), "a part that came twice counts once");
    deliverGrams(any -> true);
    all.forEach(this::hand);
    assertEquals(2, sent.size(), "an answer of each node");
    deliver();
    assertEquals(65, nodes.get(2).get(30));
  }

  /** The slot has been used again since. */
  @Test
  void shouldDropALateDatagramOfAnEarlierBatch() {
    startGroup(3);
    releaseOf(16, 50);
    List<Gram> old = List.copyOf(grams);
    deliverGrams(any -> true);
    deliver();
    releaseOf(16, 150);
    assertEquals(old.getFirst().part().slot(), grams.getFirst().part().slot());
    deliverGrams(each -> each.part().at() == CUT);
    old.forEach(this::hand);
    deliver();
    assertEquals(65, nodes.get(2).get(30));
    deliverGrams(any -> true);
    old.forEach(this::hand);
    deliver();
    for (int i = 0; i < 16; i++) {
      assertEquals(150 + i, nodes.get(2).get(2 * i));
      assertEquals(150 + i, nodes.get(0).get(2 * i));
    }
    assertEquals(0, counts(1).repairs());
  }

  /** The sender would write into the slot when it is in use again otherwise. */
  @Test
  void shouldAnswerBehindTheRepairThatItHasAskedFor() {
    startGroup(3);
    releaseOf(16, 50);
    ask();
    deliver(each -> each.message() instanceof DsmMessage.UpdatesSent);
    deliverGrams(any -> true);
    assertTrue(sent.stream().noneMatch(each -> each.message() instanceof DsmMessage.UpdatesTaken));
    deliver();
    assertEquals(65, nodes.get(2).get(30));
    assertEquals(2, counts(1).repairs());
  }

  @Test
  void shouldNotTakeTheQuestionForAnEarlierBatchForOneOfTheNextOne() {
    startGroup(3);
    releaseOf(16, 50);
    ask();
    deliverGrams(any -> true);
    deliver(each -> each.from() != 1); // The questions are late, the answers are not.
    assertTrue(isReleased());
    releaseOf(16, 150);
    deliverGrams(each -> each.part().at() == 0);
    deliver();
    deliverGrams(any -> true);
    deliver();
    assertEquals(165, nodes.get(2).get(30));
    assertEquals(0, counts(1).repairs());
  }

  /** An element that changes again is not sent by the group while the change before may be repaired. */
  @Test
  void shouldKeepTheOrderOfTwoChangesOfAnElement() {
    startGroup(4);
    releaseOf(1, 50);
    grams.removeIf(each -> each.to() == 2);
    releaseOf(1, 60);
    deliverGrams(any -> true);
    deliver();
    ask();
    deliver();
    deliverGrams(any -> true);
    deliver();
    assertEquals(60, nodes.get(2).get(0));
    assertEquals(60, nodes.get(3).get(0));
    assertEquals(2, nodes.get(1).told.stream().filter("released"::equals).count());
  }

  /** The same where the second batch is for one node only. */
  @Test
  void shouldKeepTheOrderOfAChangeByTheGroupAndOneOnAConnection() {
    startGroup(3);
    releaseOf(1, 50);
    grams.removeIf(each -> each.to() == 2);
    deliverGrams(any -> true);
    lose(0); // Now one node has a copy.
    releaseOf(1, 60);
    deliver();
    ask();
    deliver();
    assertEquals(60, nodes.get(2).get(0));
  }

  @Test
  void shouldLeaveANodeAloneThatHasCopiedTheMinipageMeanwhile() {
    startGroup(4);
    nodes.get(0).core.onMessage(3, new DsmMessage.Listens());
    assertEquals(0, nodes.get(3).get(WORDS)); // A copy of another minipage that nodes 1 and 2 do not have.
    nodes.get(1).get(WORDS);
    nodes.get(1).set(WORDS, 7);
    nodes.get(1).release(); // For 0 and 3.
    nodes.get(2).want(1, Rights.READ);
    deliver();
    assertEquals(Rights.NONE, nodes.get(2).rights[1], "what it fetches might lack what is on its way");
    deliverGrams(any -> true);
    deliver();
    assertEquals(7, nodes.get(2).get(WORDS));
    assertEquals(0, counts(2).datagramsPlaced(), "it was not for this node");
    assertEquals(7, nodes.get(3).get(WORDS));
  }

  @Test
  void shouldSendToNodesThatDoNotListenOnTheirConnections() {
    multicast = new MulticastSettings(true, 2, WAIT_NS, 8);
    cut = CUT;
    start(4, 1 << 20);
    for (int node : new int[] {0, 2}) {
      nodes.get(1).core.onMessage(node, new DsmMessage.Listens());
    }
    nodes.forEach(node -> node.get(0));
    releaseOf(1, 50);
    grams.removeIf(each -> each.to() == 3);
    deliverGrams(any -> true);
    deliver();
    assertTrue(isReleased());
    assertEquals(50, nodes.get(3).get(0));
    assertEquals(1, counts(1).datagramsSent());
    assertEquals(0, counts(1).repairs());
  }

  @Test
  void shouldUseTheConnectionsWhereThereIsNoGroupOrOneCopy() {
    startGroup(3);
    cut = 0;
    releaseOf(1, 50);
    deliver();
    assertTrue(isReleased());
    cut = CUT;
    lose(0);
    releaseOf(1, 60);
    deliver();
    assertEquals(60, nodes.get(2).get(0));
    assertTrue(grams.isEmpty());
    assertEquals(0, counts(1).multicasts());
  }

  @Test
  void shouldWaitForNothingOfALostNode() {
    startGroup(4);
    releaseOf(16, 50);
    grams.removeIf(each -> each.to() == 2);
    deliverGrams(any -> true);
    deliver();
    ask();
    lose(2);
    deliver();
    assertTrue(isReleased());
    assertEquals(Long.MAX_VALUE, nodes.get(1).core.multicast().askAtNs(nowNs));
  }

  @Test
  void shouldRefuseWhatCannotBe() {
    startGroup(3);
    ReleaseCore core = nodes.get(1).core;
    assertThrows(IllegalArgumentException.class, () -> core.onMessage(2, new DsmMessage.UpdatesMissing(7)));
    assertThrows(IllegalArgumentException.class, () -> core.onMessage(2, new DsmMessage.UpdatesSent(7, 0, 64)));
    releaseOf(1, 50);
    core.onMessage(2, new DsmMessage.UpdatesMissing(nodes.get(1).core.counts().batches()));
    assertThrows(IllegalArgumentException.class, () -> core.onMessage(2, new DsmMessage.UpdatesMissing(core.counts().batches())), "once only");
  }

  /** As {@code shouldKeepRandomProgramsWithoutRacesInOrder}, with datagrams that are lost, come twice, late and in any order. */
  @Test
  void shouldKeepRandomProgramsInOrderThoughDatagramsAreLost() {
    long repairs = 0;
    long drops = 0;
    for (int seed = 0; seed < 40; seed++) {
      nodes.clear();
      sent.clear();
      grams.clear();
      startGroup(4);
      Random random = new Random(seed);
      List<Gram> old = new ArrayList<>();
      long[] expected = new long[MINIPAGES * WORDS];
      for (int round = 0; round < 30; round++) {
        List<Integer> changed = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
          int word = random.nextInt(expected.length / 4) * 4 + (round + i) % 4;
          expected[word] = random.nextInt(4) == 0 ? 0 : random.nextLong();
          Node writer = nodes.get((word + round) % 4);
          if (writer.rights[word / WORDS] < Rights.WRITE) {
            writer.want(word / WORDS, Rights.WRITE);
            settle(random, old);
          }
          writer.set(word, expected[word]);
          changed.add(word);
          if (random.nextInt(8) == 0) {
            writer.release(); // What it writes next may change the same again.
            expected[word]++;
            writer.set(word, expected[word]);
          }
        }
        for (int i = 0; i < 4; i++) {
          nodes.get(i).release();
        }
        settle(random, old);
        for (int word : changed) {
          assertEquals(expected[word], nodes.get(random.nextInt(4)).get(word), "seed " + seed + ", round " + round + ", word " + word);
        }
      }
      for (Node node : nodes) {
        for (int word = 0; word < expected.length; word++) {
          assertEquals(expected[word], node.get(word), "seed " + seed);
        }
        repairs += node.core.counts().repairs();
        drops += node.core.counts().datagramsDropped();
      }
    }
    assertTrue(repairs > 100 && drops > 100, repairs + " repairs, " + drops + " dropped");
  }

  /** All releases come to their end; every datagram comes again at some time. */
  private void settle(Random random, List<Gram> old) {
    do {
      int to = random.nextInt(4);
      deliver(each -> each.to() == to);
      for (int i = random.nextInt(8); i > 0 && !grams.isEmpty(); i--) {
        Gram gram = grams.remove(random.nextInt(grams.size()));
        if (random.nextInt(10) != 0) {
          hand(gram);
        }
        old.add(gram);
      }
      if (!old.isEmpty() && random.nextInt(3) == 0) {
        hand(old.get(random.nextInt(old.size())));
      }
      if (random.nextInt(20) == 0) {
        ask();
      }
    } while (!sent.isEmpty() || !grams.isEmpty() || nodes.stream().anyMatch(node -> node.core.multicast().askAtNs(nowNs) != Long.MAX_VALUE));
  }
}
