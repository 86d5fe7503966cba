package dev.weft.pvfs.files;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;

/**
 * Names as text. A name is bytes, as POSIX has it, and UTF-8 as a rule; each byte that is not becomes a character from U+DC80 to U+DCFF, which no text has by
 * itself, and comes back as that byte. So every name can be said.
 */
public final class PathNames {
  private static final char FIRST = '\udc00';

  private PathNames() {}

  /** Text of the bytes of a name or path. */
  public static String decode(byte[] name) {
    CharsetDecoder decoder = StandardCharsets.UTF_8.newDecoder().onMalformedInput(CodingErrorAction.REPORT).onUnmappableCharacter(CodingErrorAction.REPORT);
    ByteBuffer from = ByteBuffer.wrap(name);
    CharBuffer to = CharBuffer.allocate(name.length);
    while (decoder.decode(from, to, true).isError()) {
      to.put((char) (FIRST + (from.get() & 0xff)));
    }
    return to.flip().toString();
  }

  /**
   * The bytes of a name or path.
   *
   * @throws IllegalArgumentException if it has a half of a character, or a character of value 0
   */
  public static byte[] encode(String name) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(name.length() + 8);
    int at = 0;
    while (at < name.length()) {
      int end = at;
      while (end < name.length() && !isByte(name, end)) {
        end += Character.charCount(name.codePointAt(end));
      }
      try {
        ByteBuffer coded = StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(name, at, end));
        byte[] piece = new byte[coded.remaining()];
        coded.get(piece);
        bytes.writeBytes(piece);
      } catch (CharacterCodingException half) {
        throw new IllegalArgumentException("a name with a half of a character: " + name, half);
      }
      if (end < name.length()) {
        bytes.write(name.charAt(end) - FIRST);
        end++;
      }
      at = end;
    }
    if (name.indexOf('\0') >= 0) {
      throw new IllegalArgumentException("a name with a character of value 0, which ends names");
    }
    return bytes.toByteArray();
  }

  private static boolean isByte(String name, int at) {
    char one = name.charAt(at);
    return one >= FIRST + 0x80 && one <= FIRST + 0xff;
  }
}
