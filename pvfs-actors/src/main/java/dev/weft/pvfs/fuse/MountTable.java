package dev.weft.pvfs.fuse;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * The mounts in {@code /proc/self/mountinfo}. Reading it touches no mount. Names are bytes: the table is read with one character for each byte, since
 * the names of other mounts may have any encoding.
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
   * @param type of the file system, such as {@code fuse.weft}
   */
  record Mount(int id, String device, Path point, String type) {}

  private MountTable() {}

  /** Returns the visible mount at a directory; null if the directory itself is no mount point. */
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

  /** Returns the type, which follows optional fields and a dash. */
  private static String typeIn(String[] fields) {
    int dash = Arrays.asList(fields).indexOf("-");
    return dash < 0 || dash + 1 == fields.length ? "" : fields[dash + 1];
  }

  /** Decodes blanks, tabs, line ends and backslashes, which are written as a backslash and three octal digits. */
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
