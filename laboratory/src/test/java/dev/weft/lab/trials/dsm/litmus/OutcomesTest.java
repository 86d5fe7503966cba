package dev.weft.lab.trials.dsm.litmus;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class OutcomesTest {
  /** What the literature asks of each shape, in the order of its registers and then of the words that it observes. */
  private static final List<Known> KNOWN = List.of(
      new Known("SB", 3, Outcome.of(0, 0)),
      new Known("MP", 3, Outcome.of(1, 0)),
      new Known("LB", 3, Outcome.of(1, 1)),
      new Known("R", 3, Outcome.of(0, 2)),
      new Known("S", 3, Outcome.of(1, 2)),
      new Known("2+2W", 3, Outcome.of(1, 1)),
      new Known("WRC", 7, Outcome.of(1, 1, 0)),
      new Known("IRIW", 15, Outcome.of(1, 0, 1, 0)),
      new Known("ISA2", 7, Outcome.of(1, 1, 0)),
      new Known("Z6.0", 7, Outcome.of(1, 0, 2)),
      new Known("Z6.1", 7, Outcome.of(1, 2, 2)),
      new Known("Z6.2", 7, Outcome.of(1, 1, 2)),
      new Known("Z6.3", 7, Outcome.of(1, 0, 2)),
      new Known("Z6.4", 7, Outcome.of(0, 0, 2)),
      new Known("Z6.5", 7, Outcome.of(0, 2, 2)),
      new Known("CoRR", 3, Outcome.of(1, 0)),
      new Known("CoWW", 1, Outcome.of(1)),
      new Known("CoRW", 3, Outcome.of(2, 2)),
      new Known("CoWR", 3, Outcome.of(2, 1)));

  private record Known(String name, int allowed, Outcome forbidden) {}

  @Test
  void shouldForbidWhatTheLiteratureForbids() {
    assertEquals(LitmusShapes.all().stream().map(LitmusShape::name).toList(), KNOWN.stream().map(Known::name).toList());
    for (Known known : KNOWN) {
      LitmusShape shape = LitmusShapes.named(known.name());
      Outcomes outcomes = Outcomes.of(shape);
      assertEquals(known.allowed(), outcomes.allowed().size(), shape + " " + outcomes);
      assertTrue(outcomes.forbidden().contains(known.forbidden()), shape + " " + outcomes);
    }
  }

  @Test
  void shouldAllowWhatSomeInterleavingHas() {
    for (LitmusShape shape : LitmusShapes.all()) {
      SortedSet<Outcome> interleaved = new TreeSet<>();
      interleave(shape, new int[shape.threads().size()], new long[shape.words()], new long[shape.registers()], interleaved);
      assertEquals(interleaved, Outcomes.of(shape).allowed(), shape.toString());
    }
  }

  private static void interleave(LitmusShape shape, int[] at, long[] words, long[] registers, Set<Outcome> into) {
    boolean ended = true;
    for (int thread = 0; thread < at.length; thread++) {
      if (at[thread] < shape.threads().get(thread).size()) {
        ended = false;
        long[] nextWords = words.clone();
        long[] nextRegisters = registers.clone();
        switch (shape.threads().get(thread).get(at[thread])) {
          case Access.Write write -> nextWords[write.word()] = write.value();
          case Access.Read read -> nextRegisters[read.register()] = words[read.word()];
        }
        at[thread]++;
        interleave(shape, at, nextWords, nextRegisters, into);
        at[thread]--;
      }
    }
    if (ended) {
      long[] values = new long[registers.length + shape.observed().size()];
      System.arraycopy(registers, 0, values, 0, registers.length);
      for (int i = 0; i < shape.observed().size(); i++) {
        values[registers.length + i] = words[shape.observed().get(i)];
      }
      into.add(Outcome.of(values));
    }
  }

  @Test
  void shouldSayWhatAnOutcomeIs() {
    LitmusShape shape = LitmusShapes.named("r");
    assertEquals("R: x=1; y=1 | y=2; r0=x", shape.toString());
    assertEquals("r0=0 y=2", shape.describe(Outcome.of(0, 2)));
    Outcomes outcomes = Outcomes.of(shape);
    LitmusReport report = new LitmusReport(shape, Placement.ONE_PAGE, 5,
        new TreeMap<>(Map.of(Outcome.of(1, 2), 3L, Outcome.of(0, 2), 1L, Outcome.of(0, 77), 1L)), outcomes);
    assertEquals("""
        R: x=1; y=1 | y=2; r0=x
        R ONE_PAGE: 5 rounds, 1 of 3 allowed outcomes seen, 2 VIOLATIONS
                   1  r0=0 y=2  FORBIDDEN
                   1  r0=0 y=77  FORBIDDEN
                   3  r0=1 y=2""", report.toString());
  }

  @Test
  void shouldRefuseWhatIsNoShape() {
    assertThrows(IllegalArgumentException.class, () -> LitmusShapes.named("XY"));
    assertThrows(IllegalArgumentException.class, () -> LitmusShape.of("A", ""));
    assertThrows(IllegalArgumentException.class, () -> LitmusShape.of("A", "", "x=0"));
    assertThrows(IllegalArgumentException.class, () -> LitmusShape.of("A", "", "q=1"));
    assertThrows(IllegalArgumentException.class, () -> LitmusShape.of("A", "", "x=1; "));
    assertThrows(IllegalArgumentException.class, () -> LitmusShape.of("A", "", "r0=x; r0=y"));
    assertThrows(IllegalArgumentException.class, () -> LitmusShape.of("A", "", "r1=x"));
    assertThrows(IllegalArgumentException.class, () -> LitmusShape.of("A", "y", "x=1"));
    assertThrows(IllegalArgumentException.class, () -> LitmusShape.of("A", "q", "x=1"));
    assertThrows(IllegalArgumentException.class, () -> LitmusShape.of("A", "", "x=1;".repeat(17)));
  }
}
