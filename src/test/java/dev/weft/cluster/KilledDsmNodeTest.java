package dev.weft.cluster;

import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.Signals;
import dev.weft.fabric.rules.Waits;
import dev.weft.hca.node.Node;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Three JVMs, each with a node of one shared memory and a thread that uses locks and arrays. One is killed, or stopped for a while, at some moment: the
 * others go on without what only it had, and what they have is right. {@code -Ddsm.kills} says how often, {@code -Ddsm.seed} with which
 * moments first; with more than one each engine is tried. Homes that move are killed in any case.
 */
@Tag("jvms")
@Timeout(3600)
class KilledDsmNodeTest {
  /** Only a test that would fail waits so long. */
  static final int PATIENCE_SECONDS = 120;
  private static final int TIMES = Integer.getInteger("dsm.kills", 1);
  private static final int FIRST_SEED = Integer.getInteger("dsm.seed", 1);
  private static final int STOPPED_MS = 5_000;

  @FunctionalInterface
  private interface Harm {
    void to(Peer peer, Peer other, DsmWorker here) throws Exception;
  }

  private static void play(String engine, long seed, boolean isKilled, Harm harm) throws Exception {
    Random random = new Random(seed);
    try (Jvms jvms = new Jvms()) {
      Peer left = jvms.start(DsmPeerMain.class, "left");
      Peer right = jvms.start(DsmPeerMain.class, "right");
      DsmWorker here = new DsmWorker(jvms.fabric(), jvms.fabric().addNode(DsmWorker.FOUNDER), engine);
      Members.await(jvms.fabric(), 3, "left", "right");
      for (Peer peer : jvms.peers()) {
        peer.say("join " + engine);
        peer.expect("joined");
      }
      for (Peer peer : jvms.peers()) {
        peer.say("start");
        peer.expect("started");
      }
      here.start();
      boolean isLeft = random.nextBoolean();
      Waits.until("100 rounds", () -> here.rounds() > 100, here::account);
      Thread.sleep(random.nextInt(500));
      harm.to(isLeft ? left : right, isLeft ? right : left, here);
      String problem = here.problem();
      System.out.println("seed " + seed + ", " + engine + ", here: " + here.account());
      assertNull(problem);
      for (Peer peer : isKilled ? List.of(isLeft ? right : left) : jvms.peers()) {
        peer.say("stop");
        String answer = peer.expectOneOf("right: ", "wrong: ");
        System.out.println("seed " + seed + ", " + engine + ", there: " + answer);
        assertTrue(answer.startsWith("right"), answer);
      }
      here.close();
    }
  }

  private static long roundsOf(Peer peer) throws Exception {
    peer.say("rounds");
    return Long.parseLong(peer.expectRest("rounds "));
  }

  /** Both survivors do something new. */
  private static void shouldGoOn(Peer other, DsmWorker here) throws Exception {
    long before = here.rounds();
    Waits.until("20 more rounds here than " + before, PATIENCE_SECONDS, () -> here.rounds() > before + 20, here::account);
    long there = roundsOf(other);
    Waits.seen("20 more rounds there than " + there, () -> roundsOf(other), rounds -> rounds >= there + 20);
  }

  /** The test command plays each harm with one engine. */
  static List<String> killed() {
    return TIMES > 1 ? List.of("request", DsmWorker.MOVING, "synchronous") : List.of("request", DsmWorker.MOVING);
  }

  static List<String> stopped() {
    return TIMES > 1 ? List.of("request", DsmWorker.MOVING, "synchronous") : List.of("synchronous");
  }

  @ParameterizedTest
  @MethodSource("killed")
  void shouldGoOnWithoutAJvmThatIsKilled(String engine) throws Exception {
    for (int time = 0; time < TIMES; time++) {
      play(engine, FIRST_SEED + time, true, (killed, other, here) -> {
        killed.kill();
        shouldGoOn(other, here);
        Thread.sleep(500);
        shouldGoOn(other, here);
      });
    }
  }

  /** The JVM of the first node is killed, and a node that was told to ask it joins at once. Not in the test command, which has this within one JVM. */
  @ParameterizedTest
  @ValueSource(strings = {"request", DsmWorker.MOVING, "synchronous"})
  @EnabledIfSystemProperty(named = "dsm.kills", matches = ".+")
  void shouldLetANodeJoinWhenTheJvmOfTheFirstOneIsKilled(String engine) throws Exception {
    for (int time = 0; time < TIMES; time++) {
      try (Jvms jvms = new Jvms()) {
        Peer first = jvms.start(DsmPeerMain.class, DsmWorker.FOUNDER);
        Peer left = jvms.start(DsmPeerMain.class, "left");
        Node node = jvms.fabric().addNode("right");
        Members.await(jvms.fabric(), 3, DsmWorker.FOUNDER, "left");
        for (Peer peer : jvms.peers()) {
          peer.say("join " + engine);
          peer.expect("joined");
        }
        first.kill();
        long killedNs = System.nanoTime();
        DsmWorker here = new DsmWorker(jvms.fabric(), node, engine);
        System.out.println(engine + ": a member " + (System.nanoTime() - killedNs) / 1_000_000 + " ms after the kill");
        left.say("start");
        left.expect("started");
        here.start();
        shouldGoOn(left, here);
        assertNull(here.problem());
        left.say("stop");
        assertTrue(left.expectOneOf("right: ", "wrong: ").startsWith("right"));
        here.close();
      }
    }
  }

  @ParameterizedTest
  @MethodSource("stopped")
  void shouldBeRightWhenAJvmStoppedForAWhile(String engine) throws Exception {
    Thread hog = Thread.ofPlatform().daemon().start(() -> {
      while (!Thread.currentThread().isInterrupted()) {
        Thread.onSpinWait();
      }
    });
    try {
      play(engine, FIRST_SEED, false, (stopped, other, here) -> {
        Signals.awaitEnd(stopped.pauseFor(STOPPED_MS));
        shouldGoOn(other, here);
        shouldGoOn(stopped, here);
      });
    } finally {
      hog.interrupt();
    }
  }
}
