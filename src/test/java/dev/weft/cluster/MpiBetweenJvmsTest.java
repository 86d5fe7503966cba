package dev.weft.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.fabric.rules.Waits;
import dev.weft.hca.node.ClusterFabric;
import dev.weft.tripwire.device.NicDevice;
import dev.weft.tripwire.mpi.ErrorClass;
import dev.weft.tripwire.mpi.MpiException;
import dev.weft.tripwire.nic.Nic;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Message passing among ranks of three JVMs, two of them in this one; one JVM is killed. */
@Tag("jvms")
@Timeout(600)
@Execution(ExecutionMode.CONCURRENT)
class MpiBetweenJvmsTest {
  private Jvms jvms;

  @AfterEach
  void stop() throws Exception {
    jvms.close();
  }

  @Test
  void shouldGiveAllRanksATypedErrorWhenOneIsKilled() throws Exception {
    jvms = new Jvms();
    ClusterFabric fabric = jvms.fabric();
    for (String node : List.of("rank-1", "rank-3")) {
      jvms.start(MpiPeerMain.class, node);
    }
    Members.awaitUp(fabric, 3); // So that the rest is the majority.
    AtomicInteger rounds = new AtomicInteger();
    List<CompletableFuture<MpiException>> ends = new ArrayList<>();
    for (int rank : new int[] {0, 2}) {
      Nic nic = NicDevice.start(fabric, fabric.addNode(MpiPeerMain.NODES.get(rank)));
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
    Waits.until("100 rounds", () -> rounds.get() >= 100 || ends.stream().anyMatch(CompletableFuture::isDone), () -> rounds + " rounds, " + ends);
    jvms.peers().getFirst().kill();
    for (CompletableFuture<MpiException> end : ends) {
      MpiException error = end.get(Waits.PATIENCE_S, TimeUnit.SECONDS);
      assertEquals(ErrorClass.PROC_FAILED, error.errorClass(), error.toString());
    }
    assertTrue(rounds.get() >= 100, rounds + " rounds");
    Path other = MpiPeerMain.outcome(jvms.driver(), "rank-3");
    Waits.until("the rank of the other JVM to end", () -> Files.exists(other) && other.toFile().length() > 0);
    assertEquals("PROC_FAILED", Files.readString(other));
  }
}
