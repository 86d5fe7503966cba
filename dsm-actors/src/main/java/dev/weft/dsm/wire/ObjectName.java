package dev.weft.dsm.wire;

import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Objects;

/** The valid names of objects of shared memory. Names appear in messages, logs and tables, so all their characters must be visible. */
public final class ObjectName {
  /** Maximum length in bytes of UTF-8; the minimum is 1. */
  public static final int BYTES_MAX = 64;

  private ObjectName() {}

  /** Describes what is wrong with a name and what is valid; null if the name is valid. */
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

  /** Throws NullPointerException or IllegalArgumentException if the name is not valid. */
  public static void require(String name) {
    String problem = problemOf(Objects.requireNonNull(name, "name"));
    if (problem != null) {
      throw new IllegalArgumentException(problem);
    }
  }

  /** False for characters that move the cursor, end a line or are invisible. */
  private static boolean isPrintable(int character) {
    return switch (Character.getType(character)) {
      case Character.CONTROL, Character.FORMAT, Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR, Character.SURROGATE -> false;
      default -> true;
    };
  }
}
