package dev.weft.dsm.node;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Every order in which the work requests of the synchronous engine and the looks and stores of threads can come, of small programs: as
 * {@link AllInterleavingsTest} for the other engine.
 */
@Tag("slow")
@Execution(ExecutionMode.CONCURRENT)
@ResourceLock("memory of a search")
@Timeout(600)
class DirectInterleavingsTest {
  private static final int STATES_MAX = 6_000_000;

  private static Search search(String program, int crashes) {
    Program parsed = Program.of(program);
    return new Search(program + (crashes == 0 ? "" : ", crashes " + Integer.toBinaryString(crashes)),
        () -> new DirectModel(parsed, crashes, DirectPlant.NONE), STATES_MAX).run();
  }

  private static void report(Search search, TestReporter reporter) {
    reporter.publishEntry("searched", String.format(Locale.ROOT, "%d states, %d transitions, %d outcomes, %d steps", search.states(),
        search.transitions(), search.outcomes().size(), search.depthMax()));
  }

  @ParameterizedTest
  @CsvSource({"W0 R1|W1 R0, 3", // SB, store buffering
      "W0 W1|R1 R0, 3", // MP, message passing
      "R0 W1|R1 W0, 3", // LB, load buffering
      "W0|R0 R0, 3", // CoRR
      "W0 W1|W1 W0, 1", // 2+2W: nobody reads
      "X0|X0|X0, 6", // one order of exchanges
      "R0 X0|X0, 3"})
  void shouldComeToEverySequentialOutcomeAndNoOther(String program, int outcomes, TestReporter reporter) {
    Search search = search(program, 0);
    report(search, reporter);
    assertEquals(outcomes, search.outcomes().size(), program);
  }

  @ParameterizedTest
  @ValueSource(strings = {"R0|W0|R0", "P0|W0|R0"})
  void shouldBeSequentialInAllInterleavingsOfThreeNodes(String program, TestReporter reporter) {
    report(search(program, 0), reporter);
  }

  @ParameterizedTest
  @CsvSource({"W0|R0|R0, 1", "W0|R0|W0, 2", "W0|R0|W0, 4", "R0|W0 R0|, 2",
      "|W0|R0, 1", "|W0|W0, 1"})
  void shouldStayCoherentWhenANodeCrashes(String program, int crashes, TestReporter reporter) {
    report(search(program, crashes), reporter);
  }

  @Test
  @Tag("long")
  void shouldBeSequentialInAllProgramsOfTwoThreadsWithTwoAccessesEach(TestReporter reporter) {
    long states = 0;
    List<String> all = new ArrayList<>();
    for (String first : List.of("R0", "W0", "R1", "W1")) {
      for (String second : List.of("R0", "W0", "R1", "W1")) {
        all.add(first + " " + second);
      }
    }
    for (String first : all) {
      for (String second : all) {
        states += search(first + "|" + second, 0).states();
      }
    }
    reporter.publishEntry("searched", states + " states");
  }

  @ParameterizedTest
  @Tag("long")
  @CsvSource({"W0 R1|W1 R0|, 3", "W0|R0|R0, 2", "|W0 W1|R1 R0, 2", "W0 W1|R1|R0, 4"})
  void shouldStayCoherentWhenANodeCrashesAndTheSearchTakesLong(String program, int crashes, TestReporter reporter) {
    report(search(program, crashes), reporter);
  }

  @ParameterizedTest
  @Tag("long")
  @ValueSource(strings = {"W0|W0|W0", "W0 R1|W1|R0", "W0|R0 W1|R1", "|W0|R0 W0", "F0 W0|R0|F0", "W0 R1|W1 R0|R0 R1",
      "W0 W1|R1 R0|R1 R0", "W0|R0 W1|R1 R0", "W0 R0|W0 R0|W0 R0",
      "R0 W0|R0 W0|R0 W0", "X0 X1|X1 X0|X0 X1",
      "W0 W1|W1 W0|R0 R1"})
  void shouldBeSequentialInAllInterleavingsOfThreeNodesWithTwoAccessesEach(String program, TestReporter reporter) {
    report(search(program, 0), reporter);
  }
}
