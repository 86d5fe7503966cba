package dev.weft.dsm.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
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
 * Every order in which messages, transfers and threads of small programs can come: there are never two copies one of which may be written, copies
 * are equal, every thread comes to its end, and what was read is sequentially consistent. What fails names the program and the steps; give both to
 * {@link Search#replay} to look closer.
 */
@Tag("slow")
@Execution(ExecutionMode.CONCURRENT)
@ResourceLock("memory of a search")
@Timeout(600)
class AllInterleavingsTest {
  private static final int STATES_MAX = 3_000_000;

  /** Adds up what was searched. */
  private static final class Sum {
    private final long startedNs = System.nanoTime();
    private int scenarios;
    private long states;
    private long transitions;
    private long outcomes;

    Search search(Scenario scenario) {
      Search search = new Search(scenario, () -> Plant.NONE, STATES_MAX).run();
      scenarios++;
      states += search.states();
      transitions += search.transitions();
      outcomes += search.outcomes().size();
      return search;
    }

    /** With copies by RDMA Write only, and by RDMA Read. */
    void searchBoth(String program, int crashes) {
      for (boolean readsByRdma : new boolean[] {false, true}) {
        search(new Scenario(Program.of(program), readsByRdma, crashes));
      }
    }

    void report(TestReporter reporter) {
      reporter.publishEntry("searched", String.format(Locale.ROOT, "%d scenarios, %d states, %d transitions, %d outcomes, %.1f s", scenarios,
          states, transitions, outcomes, (System.nanoTime() - startedNs) / 1e9));
    }
  }

  @ParameterizedTest
  @CsvSource({"W0 R1|W1 R0, 3", // SB, store buffering
      "W0 W1|R1 R0, 3", // MP, message passing
      "R0 W1|R1 W0, 3", // LB, load buffering
      "W0|R0 R0, 3", // CoRR
      "W0 W1|W1 W0, 1", // 2+2W: nobody reads
      "X0|X0|X0, 6", // one order of exchanges
      "R0 X0|X0, 3"})
  void shouldComeToEverySequentialOutcomeAndNoOther(String program, int outcomes) {
    for (boolean readsByRdma : new boolean[] {false, true}) {
      Scenario scenario = Scenario.of(program, readsByRdma);
      assertEquals(outcomes, new Search(scenario, () -> Plant.NONE, STATES_MAX).run().outcomes().size(), scenario.toString());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {
      "W0 R1|W1 R0|R0 R1", // SB with a witness
      "W0 W1|R1 R0|R1 R0", // MP with two readers
      "W0|R0 W1|R1 R0", // WRC, write to read causality
      "W0|W1 R0|R0 R1", "W1|R1 W0|R0 R1", "R0 R1|W0 W1|R1 R0", "W0 W1|W1 W0|R0 R1", "W0 W1|W1 W0|R1 R0", // 2+2W, seen
      "W0 R0|W0 R0|W0 R0", "R0 W0|R0 W0|R0 W0", "R0 R0|W0 R0|W0 W0", // CoRW, CoWR, CoWW
      "X0 X0|X0 X1|X1 X0", "R0 X0|X0 R1|W1 X0", "X1 R0|X0 R1|X0 X1", // reading and writing at once
      "|W0 R0|R0 W0", "R0|R0 W0|W0 R0", "W1 R1||R1 W1"})
  void shouldBeSequentialInAllInterleavingsOfThreeNodes(String program, TestReporter reporter) {
    Sum sum = new Sum();
    sum.searchBoth(program, 0);
    sum.report(reporter);
  }

  /** IRIW needs four; without RDMA Read it is among the long ones. */
  @Test
  void shouldLetTwoReadersAgreeOnTheOrderOfIndependentWrites(TestReporter reporter) {
    Sum sum = new Sum();
    sum.search(Scenario.of("R0 R1|R1 R0|W0|W1", true));
    sum.report(reporter);
  }

  @ParameterizedTest
  @ValueSource(strings = {"F0 W0|F0 R0|W0 F0", "W0 P0|R0 R0|R0 W0", "F0 X0|F0 X0|P0 P0", "R0 P0|W0 R0|F0 W0"})
  void shouldStayCoherentWherePrefetchesAndPushesComeInBetween(String program, TestReporter reporter) {
    Sum sum = new Sum();
    sum.searchBoth(program, 0);
    sum.report(reporter);
  }

  @Test
  void shouldBeSequentialInAllProgramsOfTwoThreadsWithTwoAccessesEach(TestReporter reporter) {
    List<String> all = sequences(List.of("R0", "W0", "R1", "W1"), 2);
    Set<String> programs = new LinkedHashSet<>();
    for (String first : all) {
      for (String second : all) {
        if (!programs.contains(otherWay(List.of(first, second)))) {
          programs.add(first + "|" + second);
        }
      }
    }
    Sum sum = new Sum();
    programs.forEach(program -> sum.searchBoth(program, 0));
    sum.report(reporter);
  }

  @Test
  void shouldBeSequentialInAllProgramsOfThreeThreadsWithOneAccessEach(TestReporter reporter) {
    Sum sum = new Sum();
    sequences(List.of("R0", "W0", "X0", "F0", "P0"), 3).forEach(program -> sum.searchBoth(program.replace(' ', '|'), 0));
    sum.report(reporter);
  }

  /** All {@code length}-long sequences of operations. */
  private static List<String> sequences(List<String> operations, int length) {
    List<String> all = new ArrayList<>(operations);
    for (int i = 1; i < length; i++) {
      List<String> longer = new ArrayList<>();
      all.forEach(start -> operations.forEach(next -> longer.add(start + " " + next)));
      all = longer;
    }
    return all;
  }

  /** The same program with nodes 0 and 1 changed over, and so the words that they are homes of. */
  private static String otherWay(List<String> threads) {
    List<String> other = new ArrayList<>();
    threads.forEach(thread -> other.add(thread.replace('0', 'x').replace('1', '0').replace('x', '1')));
    Collections.swap(other, 0, 1);
    return String.join("|", other);
  }

  // Nodes that are lost.

  /** Bit n of the second: node n may crash, at any time. */
  @ParameterizedTest
  @CsvSource({"W0 R1|W1 R0|, 3", "W0|R0|R0, 1", "R0|W0|W0, 1", "|R0 W0|R0, 1", "W0|R0|R0, 6", "R0|R0 W0|R0, 6", "X0 X0|X0|X0, 4"})
  void shouldStayCoherentWhenANodeCrashes(String program, int crashes, TestReporter reporter) {
    Sum sum = new Sum();
    sum.searchBoth(program, crashes);
    sum.report(reporter);
  }

  /**
   * The home hears of a crash first, asks the requester, and has the data sent by another one; what the lost node had sent comes after that, and is
   * put over what was written meanwhile. So who answers takes nothing more from the node that the question is about.
   */
  @ParameterizedTest
  @CsvSource("R0|W0|W0 R0, 2")
  void shouldTakeNothingFromALostNodeAfterTheQuestionWhetherItCame(String program, int crashes, TestReporter reporter) {
    Sum sum = new Sum();
    sum.searchBoth(program, crashes);
    sum.report(reporter);
  }

  // Searches that take long.

  @Test
  @Tag("long")
  void shouldBeSequentialInAllProgramsOfThreeThreadsWithTwoAccessesEach(TestReporter reporter) {
    List<String> all = sequences(List.of("R0", "W0", "R1", "W1"), 2);
    Set<String> programs = new LinkedHashSet<>();
    for (String first : all) {
      for (String second : all) {
        for (String third : all) {
          if (!programs.contains(otherWay(List.of(first, second, third)))) {
            programs.add(first + "|" + second + "|" + third);
          }
        }
      }
    }
    assertTrue(programs.size() >= 2048, programs.size() + " programs");
    Sum sum = new Sum();
    programs.forEach(program -> sum.searchBoth(program, 0));
    sum.report(reporter);
  }

  @ParameterizedTest
  @Tag("long")
  @ValueSource(strings = {"P0 W0|R0 W0|P0 R0", "P0 P1|X0 X1|F0 R1", "P0 X0|R0 P0|X0 R0", "R0 R1|R1 R0|W0|W1"})
  void shouldBeSequentialWhereTheSearchTakesLong(String program, TestReporter reporter) {
    Sum sum = new Sum();
    sum.searchBoth(program, 0);
    sum.report(reporter);
  }

  @ParameterizedTest
  @Tag("long")
  @CsvSource({"R0 R1|W0 W1|R1 R0, 6", "R0 W0|R0|W0 R0, 6", "R0 W0|R0|W0, 6", "|W0 R0|R0|R0, 4", "P0 W0|R0|R0, 6", "F0|W0|F0 R0, 6", "R0 W1|W0 R1|R0, 1",
      "|R0|W0|R0, 1", "|W0 W0 R0|R0|R0, 4", "R0|W0|R0|R0, 4", "R0|R0|R0|W0, 12", "X0 X0|X0 R0|W0 R0, 5", "R0 R0|W0|R0, 6",
      "R0 R0|W0|W0 R0, 2"})
  void shouldStayCoherentWhenANodeOfMoreCrashes(String program, int crashes, TestReporter reporter) {
    Sum sum = new Sum();
    sum.searchBoth(program, crashes);
    sum.report(reporter);
  }
}
