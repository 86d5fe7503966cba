package dev.weft.lab.repro;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.weft.lab.figures.Figure;
import java.util.List;
import org.junit.jupiter.api.Test;

class AgreementTest {
  private static final List<String> ROWS = List.of("a.a", "a.b", "a.c");

  private static List<Comparison> comparisons(double... ours) {
    List<String> papers = List.of("10", "20", "30");
    return java.util.stream.IntStream.range(0, ours.length).mapToObj(i -> new Comparison(
        new Figure(ROWS.get(i), "000", "1", "s", "c", "m", papers.get(i), "s", Figure.Use.PREDICT), Measured.value(ours[i]),
        Tolerance.relative(0.2))).toList();
  }

  private static List<Boolean> judged(double... ours) {
    return new Agreement("all", ROWS, 0.9, 2).of(comparisons(ours)).stream().map(Check::holds).toList();
  }

  @Test
  void shouldReckonTheCoefficientOfSpearman() {
    assertEquals(1, Agreement.rankCorrelation(new double[] {1, 2, 3}, new double[] {5, 50, 500}), 1e-12);
    assertEquals(-1, Agreement.rankCorrelation(new double[] {1, 2, 3}, new double[] {9, 8, 0}), 1e-12);
    // 1 - 6 * (1 + 1 + 1 + 1) / (4 * 15)
    assertEquals(0.6, Agreement.rankCorrelation(new double[] {1, 2, 3, 4}, new double[] {2, 1, 4, 3}), 1e-12);
    assertEquals(Math.sqrt(3) / 2, Agreement.rankCorrelation(new double[] {1, 2, 3}, new double[] {1, 1, 2}), 1e-12);
  }

  @Test
  void shouldJudgeOrderAndNumberApart() {
    assertEquals(List.of(true, true), judged(11, 19, 60));
    assertEquals(List.of(true, false), judged(20, 40, 60));
    assertEquals(List.of(false, true), judged(10, 33, 32));
  }

  @Test
  void shouldRefuseTooFewRows() {
    assertThrows(IllegalArgumentException.class, () -> new Agreement("two", ROWS.subList(0, 2), 0.9, 1));
    assertThrows(IllegalArgumentException.class, () -> new Agreement("three", ROWS, 0.9, 4));
    assertThrows(IllegalStateException.class, () -> new Agreement("all", ROWS, 0.9, 2).of(comparisons(1, 2)));
  }
}
