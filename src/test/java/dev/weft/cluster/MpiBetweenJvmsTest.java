package dev.weft.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import akka.cluster.MemberStatus;
import akka.cluster.typed.Cluster;
import dev.weft.hca.node.ClusterFabric;
import dev.weft.tripwire.Nic;
import dev.weft.tripwire.mpi.ErrorClass;
import dev.weft.tripwire.mpi.MpiException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Message passing among ranks of three JVMs, two of them in this one; one JVM is killed. */
@Timeout(150)
class MpiBetweenJvmsTest {
  private final List<Peer> peers = new ArrayList<>();
  private Path directory;
  private ClusterFabric fabric;

  @AfterEach
  void stop() throws Exception {
    for (Peer peer : peers) {
      peer.close();
    }
    fabric.close();
    try (Stream<Path> files = Files.walk(directory)) {
      files.sorted(Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
    }
  }

  private static void await(String what, int seconds, BooleanSupplier condition) throws InterruptedException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    while (!condition.getAsBoolean()) {
      assertTrue(System.nanoTime() < end, "waited " + seconds + " s for " + what);
      Thread.sleep(20);
    }
  }

  private int members() {
    int[] count = new int[1];
    Cluster.get(fabric.system()).state().getMembers().forEach(member -> count[0] += member.status().equals(MemberStatus.up()) ? 1 : 0);
    return count[0];
  }

  @Test
  void shouldGiveAllRanksATypedErrorWhenOneIsKilled() throws Exception {
    directory = Files.createTempDirectory(Path.of("/dev/shm"), "weft-test-");
    Path driver = directory.resolve("driver");
    fabric = PeerMain.join(driver, List.of());
    for (String node : List.of("rank-1", "rank-3")) {
      peers.add(Peer.start(MpiPeerMain.class, driver, fabric.address(), node));
    }
    await("all JVMs to be up, so that the rest is the majority", 30, () -> members() == 3);
    AtomicInteger rounds = new AtomicInteger();
    List<CompletableFuture<MpiException>> ends = new ArrayList<>();
    for (int rank : new int[] {0, 2}) {
      Nic nic = Nic.start(fabric, fabric.addNode(MpiPeerMain.NODES.get(rank)));
      CompletableFuture<MpiException> end = new CompletableFuture<>();
      Thread.ofPlatform().start(() -> {
        try {
          end.complete(MpiPeerMain.endless(fabric, nic, rank, rounds::set));
        } catch (RuntimeException wrong) {
          end.completeExceptionally(wrong);
        }
      });
      ends.add(end);
    }
    await("100 rounds", 60, () -> rounds.get() >= 100 || ends.stream().anyMatch(CompletableFuture::isDone));
    peers.getFirst().kill();
    for (CompletableFuture<MpiException> end : ends) {
      MpiException error = end.get(60, TimeUnit.SECONDS);
      assertEquals(ErrorClass.PROC_FAILED, error.errorClass(), error.toString());
    }
    assertTrue(rounds.get() >= 100, rounds + " rounds");
    Path other = MpiPeerMain.outcome(driver, "rank-3");
    await("the rank of the other JVM to end", 60, () -> Files.exists(other) && other.toFile().length() > 0);
    assertEquals("PROC_FAILED", Files.readString(other));
  }
}
