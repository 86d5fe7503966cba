package dev.weft.pvfs.files;

import dev.weft.fabric.files.ByteText;

/** Names as text, in the encoding of {@link ByteText}: every sequence of bytes has a text. */
public final class PathNames {
  private PathNames() {}

  /** Returns the text of a name or path. */
  public static String decode(byte[] name) {
    return ByteText.decode(name);
  }

  /**
   * Returns the bytes of a name or path.
   *
   * @throws IllegalArgumentException if it has an unpaired surrogate or a character of value 0
   */
  public static byte[] encode(String name) {
    if (name.indexOf('\0') >= 0) {
      throw new IllegalArgumentException("a name with a character of value 0, which ends names");
    }
    return ByteText.encode(name);
  }
}
