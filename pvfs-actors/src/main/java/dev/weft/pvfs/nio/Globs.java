package dev.weft.pvfs.nio;

import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/** Patterns of {@code FileSystem.getPathMatcher}. */
final class Globs {
  private final String glob;
  private final StringBuilder regex = new StringBuilder();
  private int at;
  private boolean isInGroup;

  private Globs(String glob) {
    this.glob = glob;
  }

  /**
   * Returns the pattern of {@code glob:...} or {@code regex:...}.
   *
   * @throws IllegalArgumentException if there is no syntax before a colon
   * @throws PatternSyntaxException if the pattern is wrong
   * @throws UnsupportedOperationException if the syntax is neither of them
   */
  static Pattern pattern(String syntaxAndPattern) {
    int colon = syntaxAndPattern.indexOf(':');
    if (colon <= 0) {
      throw new IllegalArgumentException("'" + syntaxAndPattern + "' is no pattern, must be glob:PATTERN or regex:PATTERN");
    }
    String syntax = syntaxAndPattern.substring(0, colon);
    String pattern = syntaxAndPattern.substring(colon + 1);
    if (syntax.equalsIgnoreCase("glob")) {
      return Pattern.compile(new Globs(pattern).regex(), Pattern.DOTALL);
    }
    if (syntax.equalsIgnoreCase("regex")) {
      return Pattern.compile(pattern);
    }
    throw new UnsupportedOperationException("patterns of syntax '" + syntax + "'; there are glob and regex");
  }

  private String regex() {
    while (at < glob.length()) {
      char c = glob.charAt(at++);
      switch (c) {
        case '*' -> stars();
        case '?' -> regex.append("[^/]");
        case '[' -> bracket();
        case '{' -> beginGroup();
        case '}' -> regex.append(endsGroup() ? "))" : "}");
        case ',' -> regex.append(isInGroup ? ")|(?:" : ",");
        case '\\' -> literal(escaped());
        default -> literal(c);
      }
    }
    if (isInGroup) {
      throw new PatternSyntaxException("a group without its '}'", glob, glob.length() - 1);
    }
    return regex.toString();
  }

  private void stars() {
    if (at < glob.length() && glob.charAt(at) == '*') {
      at++;
      regex.append(".*");
    } else {
      regex.append("[^/]*");
    }
  }

  private void beginGroup() {
    if (isInGroup) {
      throw new PatternSyntaxException("a group in a group", glob, at - 1);
    }
    isInGroup = true;
    regex.append("(?:(?:");
  }

  private boolean endsGroup() {
    boolean ends = isInGroup;
    isInGroup = false;
    return ends;
  }

  private char escaped() {
    if (at == glob.length()) {
      throw new PatternSyntaxException("nothing behind the last '\\'", glob, at - 1);
    }
    return glob.charAt(at++);
  }

  private void literal(char c) {
    if ("\\.[]{}()*+-?^$|".indexOf(c) >= 0) {
      regex.append('\\');
    }
    regex.append(c);
  }

  /** Matches one character of a set, never a slash. */
  private void bracket() {
    int start = at - 1;
    regex.append("(?!/)[");
    if (at < glob.length() && glob.charAt(at) == '!') {
      regex.append('^');
      at++;
    }
    boolean isEmpty = true;
    while (at < glob.length()) {
      char c = glob.charAt(at++);
      if (c == ']') {
        if (isEmpty) {
          break;
        }
        regex.append(']');
        return;
      }
      if (c == '/') {
        throw new PatternSyntaxException("a '/' between brackets", glob, at - 1);
      }
      isEmpty = false;
      boolean isRange = at + 1 < glob.length() && glob.charAt(at) == '-' && glob.charAt(at + 1) != ']';
      inBracket(c);
      if (isRange) {
        char last = glob.charAt(at + 1);
        if (last < c) {
          throw new PatternSyntaxException("a range that goes back", glob, at);
        }
        regex.append('-');
        inBracket(last);
        at += 2;
      }
    }
    throw new PatternSyntaxException("brackets without their ']'", glob, start);
  }

  private void inBracket(char c) {
    if ("\\[]^&-".indexOf(c) >= 0) {
      regex.append('\\');
    }
    regex.append(c);
  }
}
