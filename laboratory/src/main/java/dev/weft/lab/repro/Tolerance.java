package dev.weft.lab.repro;

import java.util.Locale;

/**
 * The largest difference from a paper's number that still agrees.
 *
 * @param amount a share of the number, or the difference itself in the row's unit; 0 or more
 * @param isAbsolute which of the two
 */
public record Tolerance(double amount, boolean isAbsolute) {
  private static final double PERCENT = 100;

  public Tolerance {
    if (!(amount >= 0) || !Double.isFinite(amount)) {
      throw new IllegalArgumentException("a tolerance of " + amount + ", must be 0 or more");
    }
  }

  /** A share of the paper's number, for example 0.2. */
  public static Tolerance relative(double share) {
    return new Tolerance(share, false);
  }

  /** A difference in the unit of the row: for a row in percent, percentage points. */
  public static Tolerance absolute(double difference) {
    return new Tolerance(difference, true);
  }

  /** The least that agrees with {@code paper}. */
  double least(double paper) {
    return isAbsolute ? paper - amount : paper * (1 - amount);
  }

  /** The most that agrees with {@code paper}. */
  double most(double paper) {
    return isAbsolute ? paper + amount : paper * (1 + amount);
  }

  /** With a sign before it and, if it is absolute, the row's unit after it. */
  String text(String sign, String unit) {
    return isAbsolute ? sign + Comparison.number(amount) + " " + (unit.equals("percent") ? "points" : unit)
        : String.format(Locale.ROOT, "%s%d%%", sign, Math.round(amount * PERCENT));
  }
}
