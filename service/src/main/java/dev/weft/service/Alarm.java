package dev.weft.service;

/**
 * Something that an operator should know.
 *
 * @param severity {@link Severity}
 * @param kind name of the condition, such as {@code AREA_LOST}
 * @param element route of the element concerned, below {@code /weft}
 * @param text one sentence with the details
 */
public record Alarm(Severity severity, String kind, String element, String text) {
  /** ERROR: a fault that exists now and affects users. WARNING: something that happened earlier and was counted. */
  public enum Severity {
    ERROR,
    WARNING
  }

  public static Alarm error(String kind, String element, String text) {
    return new Alarm(Severity.ERROR, kind, element, text);
  }

  public static Alarm warning(String kind, String element, String text) {
    return new Alarm(Severity.WARNING, kind, element, text);
  }
}
