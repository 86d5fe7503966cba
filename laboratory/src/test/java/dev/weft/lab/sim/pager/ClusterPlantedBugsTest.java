package dev.weft.lab.sim.pager;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.weft.lab.kit.FaultClass;
import dev.weft.lab.kit.Mutant;
import dev.weft.lab.kit.PlantedBug;
import dev.weft.lab.kit.QuietLogs;
import dev.weft.lab.kit.Shrinker;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The search finds bugs: each is planted in a copy of HCA and pager, and must show within so many seeds. */
@Tag("slow")
@Execution(ExecutionMode.CONCURRENT)
@Timeout(value = 300, unit = TimeUnit.SECONDS)
class ClusterPlantedBugsTest {
  private static final List<String> COPIED = List.of("dev.weft.hca.", "dev.weft.pager.", "dev.weft.lab.");

  static List<PlantedBug> bugs() {
    return new PagerWorkload().plantedBugs();
  }

  @BeforeAll
  static void beQuiet() {
    QuietLogs.silence("dev.weft.pager");
  }

  @ParameterizedTest
  @MethodSource("bugs")
  void shouldFindAPlantedBug(PlantedBug bug) {
    Mutant.assertFound(MutantRun.class, COPIED, bug);
  }

  /** Two guards stand against them, each of which is enough here: the server's fence, and the leases of the client's old queue pair. */
  @Test
  void shouldFindThatLateWritesOfAnOldConnectionLandAfterNewerOnes() {
    String found = new Mutant(ReconnectingMutantRun.class, COPIED,
        "dev.weft.pager.server.MemoryServerActor onResume fence fenceLate+dev.weft.hca.transport.QpStates reset takeAnswersBack keepAnswersLent"
            + "+dev.weft.hca.transport.QpStates reset revoke keepRequestsLent+dev.weft.hca.transport.QpStates toError revoke keepRequestsLent").find(150);
    assertNotNull(found, "not found in seeds 1..150");
    System.out.println("found: late writes land: " + found);
  }

  @Test
  void shouldSayWhereABugCannotBePlantedAnyMore() {
    Mutant mutant = new Mutant(MutantRun.class, COPIED, "dev.weft.pager.client.ClientCore pump noSuchCall offByOneSector");
    assertThrows(IllegalStateException.class, mutant::simulation);
  }

  @Test
  void shouldShrinkARunToWhatMakesItFail() {
    ClusterOptions least = new Shrinker<>(ClusterOptions.SWARM,
        candidate -> candidate.faults().contains(FaultClass.LOSS) && candidate.opsMax() >= 7 && candidate.serversMax() >= 2).shrink();
    assertEquals(" --faults loss --ops 7 --servers 2 --clients 1", least.toArguments());
  }
}
