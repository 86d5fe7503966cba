package dev.weft.pvfs.fuse;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * What is mounted, as {@code /proc/self/mountinfo} has it. Reading it touches no mount. Names are bytes: the table is read with one character for each
 * byte, and the names of other mounts may be anything.
 */
final class MountTable {
  private static final Path TABLE = Path.of("/proc/self/mountinfo");
  private static final int DEVICE = 2;
  private static final int POINT = 4;
  private static final int OCTAL_DIGITS = 3;

  /**
   * A mount.
   *
   * @param id its number; a later mount at the same directory has another one
   * @param device as {@code major:minor}
   * @param type of the file system, as {@code fuse.weft}
   */
  record Mount(int id, String device, Path point, String type) {}

  private MountTable() {}

  /** The mount that is seen at a directory; null if there is none at the directory itself. */
  static Mount at(Path directory) throws IOException {
    return at(directory, Files.readAllBytes(TABLE));
  }

  static Mount at(Path directory, byte[] bytes) {
    Mount last = null;
    String point = new String(directory.toString().getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
    String table = new String(bytes, StandardCharsets.ISO_8859_1);
    for (String line : table.split("\n")) {
      String[] fields = line.split(" ");
      if (fields.length > POINT && unescape(fields[POINT]).equals(point)) {
        last = new Mount(Integer.parseInt(fields[0]), fields[DEVICE], directory, typeIn(fields));
      }
    }
    return last;
  }

  /** Behind fields of which there are none, one or more, and a dash. */
  private static String typeIn(String[] fields) {
    int dash = Arrays.asList(fields).indexOf("-");
    return dash < 0 || dash + 1 == fields.length ? "" : fields[dash + 1];
  }

  /** Blanks, tabs, ends of lines and backslashes are written as a backslash and three octal digits. */
  static String unescape(String text) {
    StringBuilder plain = new StringBuilder();
    for (int i = 0; i < text.length(); i++) {
      if (text.charAt(i) == '\\' && i + OCTAL_DIGITS < text.length()) {
        plain.append((char) Integer.parseInt(text, i + 1, i + 1 + OCTAL_DIGITS, 8));
        i += OCTAL_DIGITS;
      } else {
        plain.append(text.charAt(i));
      }
    }
    return plain.toString();
  }
}
