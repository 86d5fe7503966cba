package dev.weft.lab.repro;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.weft.lab.figures.Figure;
import dev.weft.lab.repro.Comparison.Verdict;
import org.junit.jupiter.api.Test;

class ComparisonTest {
  private static Comparison compare(String value, String unit, Figure.Use use, Measured ours) {
    return compare(value, unit, use, ours, Tolerance.relative(0.2));
  }

  private static Comparison compare(String value, String unit, Figure.Use use, Measured ours, Tolerance tolerance) {
    return new Comparison(new Figure("a.b", "001", "1", "s", "c", "m", value, unit, use), ours, tolerance);
  }

  @Test
  void shouldMeasureAnAbsoluteToleranceInTheUnitOfTheRow() {
    Tolerance points = Tolerance.absolute(10);
    assertEquals(Verdict.AGREES, compare("9", "percent", Figure.Use.PREDICT, Measured.value(19), points).verdict());
    assertEquals(Verdict.AGREES, compare("9", "percent", Figure.Use.PREDICT, Measured.value(-1), points).verdict());
    assertEquals(Verdict.DIFFERS, compare("9", "percent", Figure.Use.PREDICT, Measured.value(19.1), points).verdict());
    assertEquals(Verdict.DIFFERS, compare("9", "percent", Figure.Use.PREDICT, Measured.value(-1.1), points).verdict());
    assertEquals("+-10 points", compare("9", "percent", Figure.Use.PREDICT, Measured.value(9), points).toleranceText());
    assertEquals("+20%", compare("9", "s", Figure.Use.PREDICT, Measured.atMost(9)).toleranceText());
    assertThrows(IllegalArgumentException.class, () -> Tolerance.absolute(-1));
  }

  @Test
  void shouldAgreeWithinTheToleranceOnBothSides() {
    assertEquals(Verdict.AGREES, compare("10", "s", Figure.Use.PREDICT, Measured.value(12)).verdict());
    assertEquals(Verdict.AGREES, compare("10", "s", Figure.Use.PREDICT, Measured.value(8)).verdict());
    assertEquals(Verdict.DIFFERS, compare("10", "s", Figure.Use.PREDICT, Measured.value(12.1)).verdict());
    assertEquals(Verdict.DIFFERS, compare("10", "s", Figure.Use.PREDICT, Measured.value(7.9)).verdict());
  }

  @Test
  void shouldMeasureFromTheNearerEndOfARange() {
    assertEquals(1, compare("3-7", "percent", Figure.Use.PREDICT, Measured.value(5)).ratio());
    assertEquals(2, compare("3-7", "percent", Figure.Use.PREDICT, Measured.value(14)).ratio());
    assertEquals(0.5, compare("3-7", "percent", Figure.Use.PREDICT, Measured.value(1.5)).ratio());
  }

  @Test
  void shouldJudgeBoundsOnOneSideOnly() {
    assertEquals(Verdict.AGREES, compare("30", "percent", Figure.Use.PREDICT, Measured.atMost(1)).verdict());
    assertEquals(Verdict.DIFFERS, compare("30", "percent", Figure.Use.PREDICT, Measured.atMost(37)).verdict());
    assertEquals(Verdict.AGREES, compare("10", "ratio", Figure.Use.PREDICT, Measured.atLeast(90)).verdict());
    assertEquals(Verdict.DIFFERS, compare("10", "ratio", Figure.Use.PREDICT, Measured.atLeast(7)).verdict());
  }

  @Test
  void shouldJudgeOrdersAsOrdersAndReferencesNotAtAll() {
    assertEquals(Verdict.DIFFERS, compare("flat", "order", Figure.Use.PREDICT, Measured.order(false, "steep")).verdict());
    assertEquals(Verdict.AGREES, compare("flat", "order", Figure.Use.PREDICT, Measured.order(true, "flat")).verdict());
    assertEquals(Verdict.REFERENCE, compare("10", "s", Figure.Use.REFERENCE, Measured.value(90)).verdict());
    assertThrows(IllegalArgumentException.class, () -> compare("flat", "order", Figure.Use.PREDICT, Measured.value(1)));
    assertThrows(IllegalArgumentException.class, () -> compare("10", "s", Figure.Use.PREDICT, Measured.order(true, "")));
    assertThrows(IllegalArgumentException.class, () -> Measured.value(Double.NaN));
  }

  @Test
  void shouldPrintFourSignificantDigits() {
    assertEquals("5.8", Comparison.number(5.8));
    assertEquals("123.5", Comparison.number(123.456));
    assertEquals("123457", Comparison.number(123456.7));
    assertEquals("0.001235", Comparison.number(0.00123456));
    assertEquals("0", Comparison.number(0));
  }
}
