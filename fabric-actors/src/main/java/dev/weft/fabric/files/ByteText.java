package dev.weft.fabric.files;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;

/**
 * Converts bytes to text and back, without loss. File names on Linux are bytes, usually UTF-8. A byte that is not UTF-8 becomes a character
 * from U+DC80 to U+DCFF, which no valid text contains; encoding turns it into that byte again.
 */
public final class ByteText {
  private static final char FIRST = '\udc00';
  private static final String NAMED = "\t\n\r";
  private static final String NAMES = "tnr";

  private ByteText() {}

  /** Returns the text of some bytes. */
  public static String decode(byte[] bytes) {
    CharsetDecoder decoder = StandardCharsets.UTF_8.newDecoder().onMalformedInput(CodingErrorAction.REPORT).onUnmappableCharacter(CodingErrorAction.REPORT);
    ByteBuffer from = ByteBuffer.wrap(bytes);
    CharBuffer to = CharBuffer.allocate(bytes.length);
    while (decoder.decode(from, to, true).isError()) {
      to.put((char) (FIRST + (from.get() & 0xff)));
    }
    return to.flip().toString();
  }

  /**
   * Returns the bytes of a text.
   *
   * @throws IllegalArgumentException if the text contains half of a surrogate pair that does not stand for a byte
   */
  public static byte[] encode(String text) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(text.length() + 8);
    int at = 0;
    while (at < text.length()) {
      int end = at;
      while (end < text.length() && !isByte(text.charAt(end))) {
        end += Character.charCount(text.codePointAt(end));
      }
      try {
        ByteBuffer coded = StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(text, at, end));
        byte[] piece = new byte[coded.remaining()];
        coded.get(piece);
        bytes.writeBytes(piece);
      } catch (CharacterCodingException half) {
        throw new IllegalArgumentException("a name with a half of a character: " + text, half);
      }
      if (end < text.length()) {
        bytes.write(text.charAt(end) - FIRST);
        end++;
      }
      at = end;
    }
    return bytes.toByteArray();
  }

  /** Whether all bytes of the text are UTF-8. */
  public static boolean isUtf8(String text) {
    return text.codePoints().noneMatch(one -> one <= Character.MAX_VALUE && isByte((char) one));
  }

  /** Returns the text on one line. A control character, or a byte that is not UTF-8, becomes a backslash with a letter or three octal digits. */
  public static String printable(String text) {
    return escaped(text, "");
  }

  /** Returns the same for a name, with each backslash doubled, so that different names always look different. */
  public static String quoted(String name) {
    return escaped(name, "\\");
  }

  private static String escaped(String text, String doubled) {
    StringBuilder line = new StringBuilder(text.length() + 8);
    for (int i = 0; i < text.length(); i++) {
      char one = text.charAt(i);
      if (doubled.indexOf(one) >= 0) {
        line.append(one).append(one);
      } else if (NAMED.indexOf(one) >= 0) {
        line.append('\\').append(NAMES.charAt(NAMED.indexOf(one)));
      } else if (isByte(one) && !isSecondHalf(text, i)) {
        line.append(octal(one - FIRST));
      } else if (Character.isISOControl(one)) {
        for (byte each : String.valueOf(one).getBytes(StandardCharsets.UTF_8)) {
          line.append(octal(each & 0xff));
        }
      } else {
        line.append(one);
      }
    }
    return line.toString();
  }

  private static boolean isSecondHalf(String text, int at) {
    return at > 0 && Character.isHighSurrogate(text.charAt(at - 1));
  }

  private static String octal(int value) {
    return "\\" + (char) ('0' + (value >> 6)) + (char) ('0' + (value >> 3 & 7)) + (char) ('0' + (value & 7));
  }

  private static boolean isByte(char one) {
    return one >= FIRST + 0x80 && one <= FIRST + 0xff;
  }
}
