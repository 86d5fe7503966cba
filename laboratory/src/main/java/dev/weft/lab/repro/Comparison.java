package dev.weft.lab.repro;

import dev.weft.lab.figures.Figure;
import java.util.Locale;
import java.util.Objects;

/**
 * One row beside our answer.
 *
 * @param row what the paper reports
 * @param ours what we measured
 * @param tolerance the largest difference that still agrees
 * @param derivation why it could not have come out otherwise; null if it could
 * @param choice what was chosen that the paper leaves open and ours hangs on; empty if nothing
 */
public record Comparison(Figure row, Measured ours, Tolerance tolerance, Derivation derivation, String choice) {
  /** What comes of a comparison. */
  public enum Verdict {
    /** Within the tolerance, or the order is right. */
    AGREES,
    /** Outside the tolerance, or the order is wrong. */
    DIFFERS,
    /** It follows from what goes in, so it says nothing; not counted. */
    DERIVED,
    /** Of another system; not judged. */
    REFERENCE
  }

  /** One that could have come out otherwise, and hangs on no choice. */
  public Comparison(Figure row, Measured ours, Tolerance tolerance) {
    this(row, ours, tolerance, null, "");
  }

  public Comparison {
    Objects.requireNonNull(row, "row");
    Objects.requireNonNull(ours, "ours");
    Objects.requireNonNull(choice, "choice");
    if (row.isOrder() != (ours.kind() == Measured.Kind.ORDER)) {
      throw new IllegalArgumentException("row " + row.id() + " with unit " + row.unit() + " was answered by " + ours.kind());
    }
  }

  /** Ours divided by the paper's number, or by the nearer end of its range; 1 inside the range; NaN for an order. */
  public double ratio() {
    if (row.isOrder()) {
      return Double.NaN;
    }
    double low = row.low().getAsDouble();
    double high = row.high().getAsDouble();
    return ours.value() < low ? ours.value() / low : ours.value() > high ? ours.value() / high : 1;
  }

  public Verdict verdict() {
    if (row.use() == Figure.Use.REFERENCE) {
      return Verdict.REFERENCE;
    }
    if (isDerived()) {
      return Verdict.DERIVED;
    }
    return isWithin() ? Verdict.AGREES : Verdict.DIFFERS;
  }

  /** Whether it follows from what goes in. */
  public boolean isDerived() {
    return derivation != null;
  }

  /** Whether ours is within the tolerance, or the order is right, whatever that says. */
  public boolean isWithin() {
    return switch (ours.kind()) {
      case ORDER -> ours.holds();
      case VALUE -> isHighEnough() && isLowEnough();
      case AT_MOST -> isLowEnough();
      case AT_LEAST -> isHighEnough();
    };
  }

  private boolean isHighEnough() {
    return ours.value() >= tolerance.least(row.low().getAsDouble());
  }

  private boolean isLowEnough() {
    return ours.value() <= tolerance.most(row.high().getAsDouble());
  }

  public String verdictText() {
    return verdict() == Verdict.DERIVED ? "follows from inputs" : verdict().name().toLowerCase(Locale.ROOT);
  }

  /** Ours with four significant digits, or what was seen of an order. */
  public String oursText() {
    return row.isOrder() ? ours.text() : number(ours.value());
  }

  public String paperText() {
    String bound = switch (ours.kind()) {
      case AT_MOST -> "at most ";
      case AT_LEAST -> "at least ";
      case VALUE, ORDER -> "";
    };
    return bound + row.value();
  }

  public String ratioText() {
    return row.isOrder() ? "-" : String.format(Locale.ROOT, "%.2f", ratio());
  }

  public String toleranceText() {
    return switch (ours.kind()) {
      case ORDER -> "order";
      case VALUE -> tolerance.text("+-", row.unit());
      case AT_MOST -> tolerance.text("+", row.unit());
      case AT_LEAST -> tolerance.text("-", row.unit());
    };
  }

  /** Derived, or what the row is used for. */
  public String useText() {
    if (verdict() == Verdict.DERIVED) {
      return "derived";
    }
    return switch (row.use()) {
      case CALIBRATE -> "calibrated";
      case PREDICT -> "predicted";
      case REFERENCE -> "reference";
    };
  }

  /** Four significant digits without an exponent. */
  public static String number(double value) {
    if (value == 0) {
      return "0";
    }
    int digits = Math.max(0, 3 - (int) Math.floor(Math.log10(Math.abs(value))));
    String text = String.format(Locale.ROOT, "%." + Math.min(digits, 9) + "f", value);
    return text.contains(".") ? text.replaceAll("0+$", "").replaceAll("\\.$", "") : text;
  }
}
