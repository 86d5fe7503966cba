package dev.weft.fabric.subnet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.BindException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.agrona.IoUtil;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Real JVMs, a real media driver, a real cluster. */
@Timeout(600)
@Tag("jvms")
@Execution(ExecutionMode.CONCURRENT)
class FabricClusterTest {
  private Path parent;
  private int lowPort;
  private int highPort;

  @BeforeEach
  void choose() throws Exception {
    parent = Files.createTempDirectory(Path.of("/dev/shm"), "weft-test-");
    int one = freePort();
    int two = freePort();
    lowPort = Math.min(one, two);
    highPort = Math.max(one, two);
  }

  @AfterEach
  void clean() {
    IoUtil.delete(parent.toFile(), true);
  }

  /** Below those that the kernel gives to who asks for any: nobody else gets it before it is bound again. */
  private static int freePort() throws Exception {
    while (true) {
      int port = ThreadLocalRandom.current().nextInt(20_000, 32_000);
      try (DatagramSocket _ = new DatagramSocket(port, InetAddress.getByName("127.0.0.1"))) {
        return port;
      } catch (BindException taken) {
        // Another one.
      }
    }
  }

  @Test
  void shouldCarryPacketsBetweenJvmsAndDropOneThatIsKilled() throws Exception {
    int seed = new Random().nextInt();
    Path driver = parent.resolve("driver");
    try (JvmProcess a = new JvmProcess("a", lowPort, lowPort, driver);
        JvmProcess b = new JvmProcess("b", highPort, lowPort, driver)) {
      a.await("up .*");
      b.await("up .*");
      a.tell("node alpha");
      int alpha = Integer.parseInt(a.await("added alpha (\\d+)").group(1));
      b.tell("node beta");
      int beta = Integer.parseInt(b.await("added beta (\\d+)").group(1));
      assertTrue(alpha != beta && alpha > 0 && beta > 0, alpha + " " + beta);
      b.tell("node alpha");
      b.await("refused alpha .* belongs to a node of JVM 127.0.0.1:" + lowPort + "; choose another");

      String both = "2 jvms 2 reachable \\[alpha=" + alpha + ", beta=" + beta + "]";
      a.awaitAnswer("view", both);
      b.awaitAnswer("view", both);
      a.awaitAnswer("trunks", ".*up=true.*");
      b.awaitAnswer("trunks", ".*up=true.*");
      a.tell("stream alpha beta 500 " + seed + " -1");
      b.tell("stream beta alpha 500 " + ~seed + " -1");
      assertEquals("500 bad 0", b.await("received (.*) ns \\d+").group(1), "seed " + seed);
      assertEquals("500 bad 0", a.await("received (.*) ns \\d+").group(1), "seed " + ~seed);

      b.process().destroyForcibly();
      // A dead process is downed at once, so that it is unreachable for a moment only before it is gone: nothing waits for that moment.
      a.await("lost beta");
      a.awaitAnswer("view", "1 jvms 1 reachable \\[alpha=" + alpha + "]");
      a.awaitAnswer("trunks", "\\[]");
      a.tell("node gamma");
      assertEquals(beta + 1, Integer.parseInt(a.await("added gamma (\\d+)").group(1)), "beta's LID is not reused");
    }
  }

  /**
   * Each knows all nodes, by the subnet manager, and all members, by gossip: who ends before that leaves behind JVMs that do not know each other, and then
   * never hear of each other.
   */
  private static void awaitThree(JvmProcess... jvms) throws InterruptedException {
    for (JvmProcess jvm : jvms) {
      jvm.awaitAnswer("members", "3");
      jvm.awaitAnswer("view", "3 jvms 3 reachable \\[alpha=1, beta=2, gamma=3]");
    }
  }

  /** The cluster never removes it: its failure detector waits for minutes. The third JVM shares no memory with it, and cannot see its process. */
  @Test
  void shouldDropAJvmWhoseProcessHasEndedThoughTheClusterHasItStill() throws Exception {
    Path driver = parent.resolve("driver");
    String deaf = "-Dakka.cluster.failure-detector.acceptable-heartbeat-pause=10m";
    try (JvmProcess a = startFirst(driver, deaf)) {
      add(a, "alpha", 1);
      try (JvmProcess b = new JvmProcess("b", highPort, lowPort, driver, deaf);
          JvmProcess c = new JvmProcess("c", freePort(), lowPort, parent.resolve("other"), deaf)) {
        addBetaAndGamma(b, c);
        awaitThree(b, c);
        a.process().destroyForcibly(); // The subnet manager goes with it.
        b.await("lost alpha");
        c.await("lost alpha");
        b.awaitAnswer("view", "2 jvms 2 reachable \\[beta=2, gamma=3]");
        c.awaitAnswer("view", "2 jvms 2 reachable \\[beta=2, gamma=3]");
      }
    }
  }

  /**
   * Nobody gossips, so that the third is known to the first alone, as it otherwise is for half a second. It joins when the second has: of two that join at the
   * same time either may hear of the other.
   */
  @Test
  void shouldEndAJvmThatWasLetInByOneThatWasKilledAtOnce() throws Exception {
    Path driver = parent.resolve("driver");
    String silent = "-Dakka.cluster.gossip-interval=10m";
    try (JvmProcess a = startFirst(driver, silent)) {
      add(a, "alpha", 1);
      try (JvmProcess b = new JvmProcess("b", highPort, lowPort, driver, silent)) {
        b.await("up .*");
        b.tell("node beta");
        b.await("added beta 2"); // On a starved machine it tries to join several times, every 5 s.
        try (JvmProcess c = new JvmProcess("c", freePort(), lowPort, parent.resolve("other"), silent, "-Dweft.fabric.subnet.member-within=20s")) {
          c.await("up .*");
          c.tell("node gamma");
          c.await("added gamma 3");
          a.process().destroyForcibly();
          b.await("lost alpha");
          c.await("failed this JVM was let into the fabric, and is still no member of it after .*join again");
        }
      }
    }
  }

  @Test
  void shouldSurviveAPauseThatMakesItUnreachableWithoutCorruption() throws Exception {
    int seed = new Random().nextInt();
    Path driver = parent.resolve("driver");
    String members = "-Dweft.fabric.subnet.member-within=10s"; // They are, so it passes without a word.
    // The one that is paused is not removed before this JVM has seen that it is unreachable.
    String[] options = {members, "-Dakka.cluster.split-brain-resolver.stable-after=50s", "-Dweft.fabric.cluster.media-driver.client-liveness-timeout=60s",
        "-Dakka.remote.artery.advanced.give-up-system-message-after=90s"};
    try (JvmProcess a = new JvmProcess("a", lowPort, lowPort, driver, options);
        JvmProcess b = new JvmProcess("b", highPort, lowPort, driver, options)) {
      a.await("up .*");
      b.await("up .*");
      a.tell("node alpha");
      b.tell("node beta");
      a.await("added alpha .*");
      b.await("added beta .*");
      a.awaitAnswer("view", "2 jvms 2 reachable \\[.*alpha.*beta.*]|.*beta.*alpha.*");
      b.awaitAnswer("trunks", ".*up=true.*");
      a.awaitAnswer("trunks", ".*up=true.*");
      signal(b.process(), "STOP");
      a.tell("stream alpha beta 200 7 -1"); // Lost in part: nobody retransmits below the transport.
      a.awaitAnswer("view", "2 jvms 1 reachable .*");
      signal(b.process(), "CONT");
      a.awaitAnswer("view", "2 jvms 2 reachable .*");
      a.awaitAnswer("trunks", ".*up=true.*");
      b.awaitAnswer("trunks", ".*up=true.*");
      a.tell("stream alpha beta 300 " + seed + " -1");
      assertEquals("300 bad 0", b.await("received (300 .*) ns \\d+").group(1), "seed " + seed);
      assertTrue(b.process().isAlive());
    }
  }

  @Test
  void shouldKeepLidsAndLinksWhenTheManagersJvmLeaves() throws Exception {
    Path driver = parent.resolve("driver");
    int thirdPort = freePort();
    try (JvmProcess a = startFirst(driver)) {
      add(a, "alpha", 1);
      try (JvmProcess b = new JvmProcess("b", highPort, lowPort, driver);
          JvmProcess c = new JvmProcess("c", thirdPort, lowPort, driver)) {
        addBetaAndGamma(b, c);
        awaitThree(b, c);
        a.tell("quit");
        assertTrue(a.process().waitFor(90, TimeUnit.SECONDS));
        b.await("lost alpha");
        c.tell("node delta");
        assertFalse("123".contains(c.await("added delta (\\d+)").group(1)));
        b.awaitAnswer("view", "2 jvms 2 reachable \\[beta=2, gamma=3, delta=\\d+]");
        b.awaitAnswer("trunks", ".*up=true.*");
        b.tell("stream beta gamma 100 5 -1");
        c.await("received 100 bad 0 .*");
      }
    }
  }

  @Test
  void shouldCarryMulticastToExactlyTheNodesThatHaveJoined() throws Exception {
    int seed = new Random().nextInt();
    Path driver = parent.resolve("driver");
    int thirdPort = freePort();
    try (JvmProcess a = startFirst(driver);
        JvmProcess b = new JvmProcess("b", highPort, lowPort, driver);
        JvmProcess c = new JvmProcess("c", thirdPort, lowPort, driver)) {
      b.await("up .*");
      c.await("up .*");
      add(a, "alpha");
      add(b, "beta");
      add(b, "gamma");
      add(c, "delta");
      a.awaitAnswer("view", "3 jvms 3 reachable .*delta.*");
      b.awaitAnswer("view", "3 jvms 3 reachable .*delta.*");
      a.awaitAnswer("trunks", ".*up=true.*up=true.*");
      int lid = join(a, "alpha", "send");
      assertEquals(lid, join(b, "beta", "receive"));
      assertEquals(lid, join(b, "gamma", "receive"));
      a.awaitAnswer("groups", "\\[news=" + lid + "\\[\\d+]]");
      a.tell("cast alpha " + lid + " 100 " + seed);
      b.await("received 100 bad 0 .*");
      b.await("received 100 bad 0 .*");

      assertEquals(lid, join(c, "delta", "receive"));
      b.tell("leave gamma news");
      a.awaitAnswer("groups", "\\[news=" + lid + "\\[\\d+, \\d+]]");
      b.awaitAnswer("groups", "\\[news=" + lid + "\\[\\d+, \\d+]]");
      a.tell("cast alpha " + lid + " 70 " + seed);
      c.await("received 70 bad 0 .*");
      b.await("received 70 bad 0 .*");
      // A member that sends has its own copy; that of another JVM came over the trunk once, and did not go round.
      b.tell("cast beta " + lid + " 30 " + seed);
      b.await("received 30 bad 0 .*");
      c.await("received 30 bad 0 .*");
      a.tell("stream alpha gamma 20 " + seed + " -1");
      b.await("received 20 bad 0 .*");
      b.tell("leave beta news");
      c.tell("leave delta news");
      a.awaitAnswer("groups", "\\[news=" + lid + "\\[]]");
    }
  }

  /** The others find its media driver running. */
  private JvmProcess startFirst(Path driver, String... options) throws Exception {
    JvmProcess first = new JvmProcess("a", lowPort, lowPort, driver, options);
    first.await("up .*");
    return first;
  }

  private static void add(JvmProcess jvm, String node) throws Exception {
    jvm.tell("node " + node);
    jvm.await("added " + node + " .*");
  }

  private static void add(JvmProcess jvm, String node, int lid) throws Exception {
    jvm.tell("node " + node);
    jvm.await("added " + node + " " + lid);
  }

  private static void addBetaAndGamma(JvmProcess b, JvmProcess c) throws Exception {
    b.await("up .*");
    c.await("up .*");
    add(b, "beta", 2);
    add(c, "gamma", 3);
  }

  private static int join(JvmProcess jvm, String node, String how) throws Exception {
    jvm.tell("join " + node + " news " + how);
    return Integer.parseInt(jvm.await("joined " + node + " (\\d+)").group(1));
  }

  private static void signal(Process process, String signal) throws Exception {
    assertEquals(0, new ProcessBuilder("kill", "-" + signal, String.valueOf(process.pid())).start().waitFor());
  }
}
