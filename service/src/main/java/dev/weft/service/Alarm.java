package dev.weft.service;

/**
 * Something that an operator should know.
 *
 * @param severity {@link Severity}
 * @param kind what it is, in one word
 * @param element route of the element concerned, below {@code /weft}
 * @param text what was seen
 */
public record Alarm(Severity severity, String kind, String element, String text) {
  /** ERROR holds now and hinders somebody; WARNING has happened and is counted. */
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
