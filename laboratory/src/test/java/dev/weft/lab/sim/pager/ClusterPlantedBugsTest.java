package dev.weft.lab.sim.pager;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.weft.lab.kit.Mutant;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The search finds bugs: each is planted in a copy of HCA and pager, and must show within so many seeds. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class ClusterPlantedBugsTest {
  private static Mutant mutant(String plants) {
    return new Mutant(MutantRun.class, List.of("dev.weft.hca.", "dev.weft.pager.", "dev.weft.lab."), plants);
  }

  @BeforeAll
  static void beQuiet() {
    QuietLogs.beQuiet();
  }

  @ParameterizedTest(name = "{1} within {2} seeds")
  @CsvSource({
    "pager.server.ServerCore advance transfer answerEarly + pager.server.ServerCore onReadCompleted enqueue releaseOnly, "
        + "a write is answered before its RDMA Read is complete, 20",
    "pager.server.ServerCore transfer prepareRead showOldData, old data shows through, 20",
    "pager.server.ServerCore beginInline prepareWrite showOldData, what surrounds data that came with its request is not zeroed, 20",
    "pager.server.ServerCore onCompleted add returnTwice, a staging buffer is returned twice, 20",
    "pager.server.MemoryServerActor end forget keepTransfers, the transfers of a lost client stay booked, 20",
    "pager.server.MemoryServerActor free free keepArea, a lost client keeps its area, 20",
    "pager.server.ServerCore answer release leakRequest, the server loses a request slot, 20",
    "pager.server.ServerCore fillExtents runAt lengthenHole, a hole is reported too long, 20",
    "pager.client.ClientCore sendFirst start offByOneSector, areas are off by one sector, 20",
    "pager.client.ClientCore takeBack takeBack leakCredit, a credit is lost when a server dies, 60",
    "pager.client.ClientCore failAll ended swallowError, the error of a dead server is swallowed, 20",
    "pager.client.PagerClientActor fail loseConnection keepConnection, a server that was given up stays connected, 60",
    "pager.server.MemoryServerActor onResume refuse serveAnyway, a new incarnation is served as if it were the old one, 60",
    "pager.client.ClientCore ended partDone completeAtFirstPart, a request is over with its first part, 20",
    "pager.client.ClientCore onMessage pump forgetWaiting, a request waits for a credit for ever, 20",
    "pager.client.PoolBuffer release free returnTwice, a buffer is returned twice, 20",
    "pager.client.ClientCore onMessage take answerAnother, an answer is taken for another request's, 20",
    "pager.memory.SparseMap trim punch punchOneMore, a trim takes one block too many, 20",
    "pager.memory.SparseMap zeroAndAllocate zero zeroOneSectorLess, zeroing leaves out a sector, 20",
    "pager.memory.SparseMap allocate clean keepSurroundings, what surrounds new data is not zeroed, 20",
    "hca.transport.RcResponder onRequest diff acceptGap, a packet is taken for the one before it, 20",
    "hca.transport.QueueCompletions completeReceive push loseCompletion, a completion is lost, 20",
    "hca.transport.QueueCompletions completeReceive push completeTwice, a completion comes twice, 20",
    "hca.device.HcaCore onPacket returnCredit leakCredit, a link credit is lost, 20"
  })
  void shouldFindAPlantedBug(String plants, String what, int seedsMax) {
    String found = mutant(plants).find(seedsMax);
    assertNotNull(found, "not found in seeds 1.." + seedsMax + ": " + what);
    System.out.println("found: " + what + ": " + found);
  }

  /** Two guards stand against them, each of which is enough here: the server's fence, and the leases of the client's old queue pair. */
  @Test
  void shouldFindThatLateWritesOfAnOldConnectionLandAfterNewerOnes() {
    String found = new Mutant(ReconnectingMutantRun.class, List.of("dev.weft.hca.", "dev.weft.pager.", "dev.weft.lab."),
        "pager.server.MemoryServerActor onResume fence fenceLate+hca.transport.QpStates reset takeAnswersBack keepAnswersLent"
            + "+hca.transport.QpStates reset revoke keepRequestsLent+hca.transport.QpStates toError revoke keepRequestsLent").find(150);
    assertNotNull(found, "not found in seeds 1..150");
    System.out.println("found: late writes land: " + found);
  }

  @Test
  void shouldSayWhereABugCannotBePlantedAnyMore() {
    Mutant mutant = mutant("pager.client.ClientCore pump noSuchCall offByOneSector");
    assertThrows(IllegalStateException.class, mutant::simulation);
  }

  @Test
  void shouldShrinkARunToWhatMakesItFail() {
    ClusterOptions least = new Shrinker(ClusterOptions.SWARM,
        candidate -> candidate.faults().contains(FaultClass.LOSS) && candidate.opsMax() >= 7 && candidate.serversMax() >= 2).shrink();
    assertEquals(" --faults loss --ops 7 --servers 2 --clients 1", least.toArguments());
  }
}
