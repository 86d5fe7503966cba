package dev.weft.dsm.node;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Locale;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * As {@link AllInterleavingsTest}, where who has written a word becomes its home: besides, a word has one home at most among nodes that know the same of
 * a crash, and hints never go round.
 */
@Tag("slow")
@Execution(ExecutionMode.CONCURRENT)
@ResourceLock("memory of a search")
@Timeout(600)
class MovingHomesInterleavingsTest {
  private static final int STATES_MAX = 3_000_000;
  private static final int WALKS = 10_000;

  private static Search search(String program, boolean readsByRdma, int crashes) {
    return new Search(new Scenario(Program.of(program), readsByRdma, crashes, true), () -> Plant.NONE, STATES_MAX).run();
  }

  private static void searchBoth(String program, int crashes, TestReporter reporter) {
    long startedNs = System.nanoTime();
    int states = 0;
    for (boolean readsByRdma : new boolean[] {false, true}) {
      states += search(program, readsByRdma, crashes).states();
    }
    reporter.publishEntry("searched", String.format(Locale.ROOT, "%s: %d states, %.1f s", program, states, (System.nanoTime() - startedNs) / 1e9));
  }

  @ParameterizedTest
  @CsvSource({"W0 R1|W1 R0, 3", "W0 W1|R1 R0, 3", "R0 W1|R1 W0, 3", "W0|R0 R0, 3", "W0 W1|W1 W0, 1", "R0 X0|X0, 3"})
  void shouldComeToEverySequentialOutcomeAndNoOther(String program, int outcomes) {
    for (boolean readsByRdma : new boolean[] {false, true}) {
      assertEquals(outcomes, search(program, readsByRdma, 0).outcomes().size(), program);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"W0 R1|W1 R0|R0 R1", "W0|R0 W1|R1 R0", "W0 W1|R1 R0|R1 R0", "W0 W1|W1 W0|R0 R1"})
  void shouldBeSequentialInAllInterleavingsOfThreeNodes(String program, TestReporter reporter) {
    searchBoth(program, 0, reporter);
  }

  /** Bit n of the second: node n may crash, at any time. */
  @ParameterizedTest
  @CsvSource({"W0 R1|W1 R0|, 3", "|W0|R0, 7", "W0|R0|R0, 1", "R0 W0|W0 R1|R1, 4"})
  void shouldStayCoherentWhenANodeCrashes(String program, int crashes, TestReporter reporter) {
    searchBoth(program, crashes, reporter);
  }

  /** Some of all executions. */
  @ParameterizedTest
  @CsvSource({"R0 W0 X0|W0 R0 W0|R0 W0 X0|W0 X0 R0, 15", "X0 R0 X0 R1 W0|W0 X1 R0 X0 X0|R0 X0 W1 X0 R0|X0 X0 R0 W0 X1, 15",
      "X0 P0 R1 W1|P1 X0 X1 R0|R0 W1 P0 X0|W0 X0 P1 R0, 15"})
  void shouldStayCoherentWhenAnyOfFourNodesCrashes(String program, int crashes) {
    for (boolean readsByRdma : new boolean[] {false, true}) {
      new Walks(new Scenario(Program.of(program), readsByRdma, crashes, true), () -> Plant.NONE).run(WALKS);
      new Walks(new Scenario(Program.of(program), readsByRdma, 0, true), () -> Plant.NONE).run(WALKS);
    }
  }

  // Searches that take long.

  @ParameterizedTest
  @Tag("long")
  @CsvSource({"X0|X0|X0, 0", "W0 R0|W0 R0|W0, 0", "R0 W0|R0|W0, 0", "W0|W0 P0|R0, 0", "R0|W0|W0, 1",
      "W0|R0|R0, 6", "W0|W0|R0, 2", "|W0 R0|R0, 7", "W0 R1|W1 R0|R0, 3", "W0 R1|W1 R0|R0 R1, 4"})
  void shouldBeSequentialWhereTheSearchTakesLong(String program, int crashes, TestReporter reporter) {
    searchBoth(program, crashes, reporter);
  }
}
