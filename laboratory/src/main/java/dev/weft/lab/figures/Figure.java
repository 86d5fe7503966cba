package dev.weft.lab.figures;

import java.util.Locale;
import java.util.OptionalDouble;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One number, range or order that a seed reports.
 *
 * @param id unique, for example {@code hpbd.testswap.local}
 * @param seed the document, three digits
 * @param where table, figure or section of it
 * @param subject what was measured
 * @param configuration under which configuration
 * @param metric time, ratio, share ...; ending in {@code _max} or {@code _min} for an extreme
 * @param value a number, a range such as {@code 3-7}, or with the unit {@code order} a statement
 * @param unit {@code us}, {@code s}, {@code ratio}, {@code percent}, {@code order} ...
 * @param use what the row is for
 */
public record Figure(String id, String seed, String where, String subject, String configuration, String metric, String value,
    String unit, Use use) {
  private static final Pattern ID = Pattern.compile("[a-z0-9]+(\\.[a-z0-9]+)+");
  private static final Pattern SEED = Pattern.compile("\\d{3}");
  private static final Pattern NUMBER = Pattern.compile("(\\d+(?:\\.\\d+)?)(?:-(\\d+(?:\\.\\d+)?))?");

  /** What a row may be used for. */
  public enum Use {
    /** A profile is fitted to it. */
    CALIBRATE,
    /** A result of the code, never an input. */
    PREDICT,
    /** Of another system; printed beside ours. */
    REFERENCE;

    /** As the file writes it. */
    public String text() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  public Figure {
    if (!ID.matcher(id).matches()) {
      throw new IllegalArgumentException("id '" + id + "' is not words of a-z0-9 joined by dots");
    }
    if (!SEED.matcher(seed).matches()) {
      throw new IllegalArgumentException(id + ": seed '" + seed + "' is not three digits");
    }
    if (subject.isEmpty() || metric.isEmpty() || unit.isEmpty() || value.isEmpty()) {
      throw new IllegalArgumentException(id + ": subject, metric, value and unit must not be empty");
    }
    Matcher number = NUMBER.matcher(value);
    if (!unit.equals("order") && !number.matches()) {
      throw new IllegalArgumentException(id + ": value '" + value + "' is neither a number nor a range such as 3-7");
    }
    if (number.matches() && number.group(2) != null && Double.parseDouble(number.group(1)) > Double.parseDouble(number.group(2))) {
      throw new IllegalArgumentException(id + ": range '" + value + "' starts above its end");
    }
  }

  /** Whether the row states an order and not a number. */
  public boolean isOrder() {
    return unit.equals("order");
  }

  /** The number, or the lower end of the range; empty for an order. */
  public OptionalDouble low() {
    return end(1);
  }

  /** The number, or the upper end of the range; empty for an order. */
  public OptionalDouble high() {
    return end(2);
  }

  private OptionalDouble end(int group) {
    Matcher number = NUMBER.matcher(value);
    if (isOrder() || !number.matches()) {
      return OptionalDouble.empty();
    }
    return OptionalDouble.of(Double.parseDouble(number.group(group) == null ? number.group(1) : number.group(group)));
  }
}
