package dev.weft.lab.seed000.shared;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.lab.hosts.HardwareProfile;
import dev.weft.lab.seed000.shared.Setup.Kind;
import dev.weft.lab.seed000.shared.SharedRun.Result;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Programs on simulated hosts come to the right result, and take the time that they, and access to shared memory, are charged for. */
@Tag("slow")
class SharedRunTest {
  private static final HardwareProfile HARDWARE = HardwareProfile.load("ib-2003-p3");
  private static final ProgramCosts COSTS = ProgramCosts.load("ib-2003-p3");
  private static final Map<String, Sequential> SEQUENTIAL = new HashMap<>();

  private static Sequential sequential(Setup setup) {
    return SEQUENTIAL.computeIfAbsent(setup.application() + " " + setup.size(), unknown -> Sequential.of(setup.application(), setup.size()));
  }

  private static Result run(Setup setup, long seed) {
    return SharedRun.of(setup, HARDWARE, COSTS, seed, sequential(setup));
  }

  private static Result run(Setup setup) {
    return run(setup, 1);
  }

  @ParameterizedTest
  @CsvSource({"sor, small", "lu, small", "is, S", "tsp, burma14", "water, small", "nbody, small", "nbodyw, small", "barnes, small"})
  void shouldComeToTheResultOfTheSequentialProgram(String application, String size) {
    Result result = run(Setup.of(application, size, 3, 2)); // It throws where it does not.
    assertTrue(result.messages() > 0 && result.faults().reads() + result.faults().writes() > 0, result.toString());
  }

  @Test
  void shouldRefuseAResultThatIsAnother() {
    Setup setup = Setup.of("sor", "small", 2, 1);
    Sequential other = sequential(Setup.of("tsp", "burma14", 1, 1));
    IllegalStateException wrong = assertThrows(IllegalStateException.class, () -> SharedRun.of(setup, HARDWARE, COSTS, 1, other));
    assertTrue(wrong.getMessage().contains("came to a wrong result"), wrong.getMessage());
  }

  @Test
  void shouldTakeOnOneHostWhatItComputesAndItsBarriers() {
    Setup setup = Setup.of("sor", "small", 1, 1);
    Result result = run(setup);
    double computingNs = sequential(setup).ns(COSTS);
    // 20 iterations with two barriers, and one at the end: a system call, and the processor again.
    double barriersNs = 41 * (HARDWARE.cpu().systemCallNs() + HARDWARE.cpu().schedulingNs());
    assertEquals(computingNs + barriersNs, result.elapsedNs(), 0.01 * computingNs);
    assertEquals(computingNs / result.elapsedNs(), result.speedup(), 1e-12);
    assertEquals(2 * computingNs + barriersNs, run(setup.computing(2)).elapsedNs(), 0.01 * computingNs);
  }

  @Test
  void shouldSayWhereAllOfTheTimeGoes() {
    Setup setup = Setup.of("water", "small", 2, 1);
    Result result = run(setup);
    Breakdown times = result.breakdown();
    assertEquals(result.elapsedNs(), times.allNs(), 0.02 * result.elapsedNs());
    // Adding to shared forces is computed by each worker for its own.
    assertEquals(sequential(setup).ns(COSTS) / 2, times.computingNs(), 0.02 * times.computingNs());
    assertEquals(result.faults().reads() * result.faults().readMeanNs() / 2, times.readFaultsNs(), 1);
    assertEquals(result.faults().writes() * result.faults().writeMeanNs() / 2, times.writeFaultsNs(), 1);
    // What is paid is rounded.
    assertTrue(times.interruptedNs() > -1_000 && times.locksNs() > 0 && times.imbalanceNs() > 0 && times.barriersNs() > 0, times.toString());
  }

  /** Each host reads 8 minipages of the other's bodies in each of 5 steps. */
  @Test
  void shouldTakeOneFaultForEachMinipageThatIsReadInOneCall() {
    assertEquals(2 * 8 * 5, run(Setup.of("nbody", "small", 2, 1)).faults().reads());
  }

  @Test
  void shouldTakeTheSameWayTwiceAndAnotherWithAnotherSeed() {
    Setup setup = Setup.of("water", "small", 4, 2);
    Result first = run(setup);
    run(Setup.of("sor", "small", 2, 1));
    Result again = run(setup);
    assertEquals(first.traceHash(), again.traceHash());
    assertEquals(first.elapsedNs(), again.elapsedNs());
    assertNotEquals(first.traceHash(), run(setup, 2).traceHash());
  }

  @Test
  void shouldBeSlowerAtTheUserLevelAndInATaskQueueThanInAnInterrupt() {
    Setup setup = Setup.of("sor", "small", 4, 2);
    Result kernel = run(setup);
    Result taskQueue = run(setup.with(Kind.TASK_QUEUE));
    Result user = run(setup.with(Kind.USER_LEVEL));
    assertTrue(kernel.elapsedNs() < taskQueue.elapsedNs() && taskQueue.elapsedNs() < user.elapsedNs(),
        kernel.elapsedNs() + ", " + taskQueue.elapsedNs() + ", " + user.elapsedNs());
    assertTrue(kernel.savingPercent(user) > 0);
  }

  @Test
  void shouldFaultFasterWherePollingIsFreeAndRunLongerWhereItTakesTheProcessorFromOthers() {
    Setup free = Setup.of("nbodyw", "small", 2, 1);
    assertTrue(run(free.with(Kind.POLLING)).faults().meanNs() < run(free).faults().meanNs());
    Setup crowded = Setup.of("nbodyw", "small", 2, 4);
    assertTrue(run(crowded.with(Kind.POLLING)).elapsedNs() > run(crowded).elapsedNs());
  }

  @Test
  void shouldTakeLongerWhereHogsWantTheProcessors() {
    Setup setup = Setup.of("nbody", "small", 2, 2);
    assertTrue(run(setup.loaded(2)).elapsedNs() > 1.3 * run(setup).elapsedNs());
  }

  @Test
  void shouldRunTwoAtATimeAsOneAfterTheOther() {
    List<Setup> setups = new ArrayList<>();
    for (int hosts = 1; hosts <= 4; hosts++) {
      setups.add(Setup.of("nbodyw", "small", hosts, 1));
    }
    List<Result> together = new Runs("ib-2003-p3", 5).of(setups);
    for (int i = 0; i < setups.size(); i++) {
      assertEquals(run(setups.get(i), 5).traceHash(), together.get(i).traceHash(), setups.get(i).toString());
    }
  }

  @Test
  void shouldSayWhatIsWrongWithASetup() {
    assertTrue(assertThrows(IllegalArgumentException.class, () -> Setup.of("sor", "small", 8, 9)).getMessage().contains("1 to 64"));
    assertThrows(IllegalArgumentException.class, () -> Setup.of("sor", "small", 1, 1).loaded(-1));
    assertThrows(IllegalArgumentException.class, () -> Setup.of("sor", "small", 1, 1).computing(0));
  }
}
