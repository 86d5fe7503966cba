package dev.weft.lab.repro;

/**
 * Our answer to one row.
 *
 * @param kind how it is compared with the paper's
 * @param value the number in the row's unit; 0 for an order
 * @param holds whether a stated order holds; true for numbers
 * @param text what was seen, for an order; empty for numbers
 */
public record Measured(Kind kind, double value, boolean holds, String text) {
  /** How a row is judged. */
  public enum Kind {
    /** Within the tolerance of the paper's number or range. */
    VALUE,
    /** Not above the paper's number by more than the tolerance. */
    AT_MOST,
    /** Not below the paper's number by more than the tolerance. */
    AT_LEAST,
    /** The order that the paper states. */
    ORDER
  }

  public Measured {
    if (!Double.isFinite(value)) {
      throw new IllegalArgumentException("measured " + value + ", must be finite");
    }
  }

  public static Measured value(double value) {
    return new Measured(Kind.VALUE, value, true, "");
  }

  public static Measured atMost(double value) {
    return new Measured(Kind.AT_MOST, value, true, "");
  }

  public static Measured atLeast(double value) {
    return new Measured(Kind.AT_LEAST, value, true, "");
  }

  public static Measured order(boolean holds, String text) {
    return new Measured(Kind.ORDER, 0, holds, text);
  }
}
