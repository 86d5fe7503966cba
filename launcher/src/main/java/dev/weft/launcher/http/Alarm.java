package dev.weft.launcher.http;

/**
 * Something that an operator should know.
 *
 * @param severity {@link Severity}
 * @param kind what it is, in one word
 * @param element route of the element concerned, below {@code /weft}
 * @param text what was seen
 */
record Alarm(Severity severity, String kind, String element, String text) {
  /** ERROR holds now and hinders somebody; WARNING has happened and is counted. */
  enum Severity {
    ERROR,
    WARNING
  }

  static Alarm error(String kind, String element, String text) {
    return new Alarm(Severity.ERROR, kind, element, text);
  }

  static Alarm warning(String kind, String element, String text) {
    return new Alarm(Severity.WARNING, kind, element, text);
  }
}
