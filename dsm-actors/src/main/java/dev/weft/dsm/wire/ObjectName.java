package dev.weft.dsm.wire;

import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Objects;

/** What programs may call an object of shared memory: names stand in messages, logs and tables, and must be seen there. */
public final class ObjectName {
  /** In bytes of UTF-8; 1 at least. */
  public static final int BYTES_MAX = 64;

  private ObjectName() {}

  /** What is wrong with a name and what would be right; null if it is one. */
  public static String problemOf(String name) {
    for (int i = 0; i < name.length(); i += Character.charCount(name.codePointAt(i))) {
      int character = name.codePointAt(i);
      if (!isPrintable(character)) {
        return String.format(Locale.ROOT, "a name with %s at index %d, must be printable characters",
            Character.getType(character) == Character.SURROGATE ? "half of a surrogate pair, which has no UTF-8,"
                : String.format(Locale.ROOT, "the character U+%04X", character), i);
      }
    }
    int bytes = name.getBytes(StandardCharsets.UTF_8).length;
    return bytes >= 1 && bytes <= BYTES_MAX ? null : "a name of " + bytes + " bytes, must be from 1 to " + BYTES_MAX;
  }

  /** NullPointerException or IllegalArgumentException if it is none. */
  public static void require(String name) {
    String problem = problemOf(Objects.requireNonNull(name, "name"));
    if (problem != null) {
      throw new IllegalArgumentException(problem);
    }
  }

  /** What moves the cursor, ends a line or cannot be seen at all is not. */
  private static boolean isPrintable(int character) {
    return switch (Character.getType(character)) {
      case Character.CONTROL, Character.FORMAT, Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR, Character.SURROGATE -> false;
      default -> true;
    };
  }
}
