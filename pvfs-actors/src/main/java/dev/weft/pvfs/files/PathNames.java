package dev.weft.pvfs.files;

import dev.weft.fabric.files.ByteText;

/** Names as text, as {@link ByteText} has them: every name can be said. */
public final class PathNames {
  private PathNames() {}

  /** Text of the bytes of a name or path. */
  public static String decode(byte[] name) {
    return ByteText.decode(name);
  }

  /**
   * The bytes of a name or path.
   *
   * @throws IllegalArgumentException if it has a half of a character, or a character of value 0
   */
  public static byte[] encode(String name) {
    if (name.indexOf('\0') >= 0) {
      throw new IllegalArgumentException("a name with a character of value 0, which ends names");
    }
    return ByteText.encode(name);
  }
}
