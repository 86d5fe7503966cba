package dev.weft.service.process;

import dev.weft.fabric.files.ByteText;
import dev.weft.service.CommandFailure;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;

/**
 * A request as it is sent: words with tabs between them, and an end of line. A word is text of any bytes, as {@link ByteText} has it; in it, a tab, an end of
 * line and a backslash are sent as a backslash and a letter.
 */
final class RequestLine {
  /** Two paths of 4,096 bytes, all of them escaped, and some words. */
  static final int BYTES_MAX = 1 << 15;

  private RequestLine() {}

  /**
   * The line, with its end.
   *
   * @throws CommandFailure if it is too long
   */
  static byte[] of(List<String> words) {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    for (String word : words) {
      if (line.size() > 0) {
        line.write('\t');
      }
      for (byte one : ByteText.encode(word)) {
        int letter = "\t\n\\".indexOf((char) (one & 0xff));
        if (letter < 0) {
          line.write(one);
        } else {
          line.write('\\');
          line.write("tn\\".charAt(letter));
        }
      }
    }
    line.write('\n');
    if (line.size() > BYTES_MAX) {
      throw new CommandFailure("the request has " + line.size() + " bytes, may have " + BYTES_MAX + "; name shorter paths");
    }
    return line.toByteArray();
  }

  /** The words of a line without its end. */
  static List<String> words(byte[] line) {
    List<String> words = new ArrayList<>();
    ByteArrayOutputStream word = new ByteArrayOutputStream();
    for (int at = 0; at < line.length; at++) {
      if (line[at] == '\t') {
        words.add(ByteText.decode(word.toByteArray()));
        word.reset();
      } else if (line[at] == '\\' && at + 1 < line.length) {
        at++;
        word.write(line[at] == 't' ? '\t' : line[at] == 'n' ? '\n' : line[at]);
      } else {
        word.write(line[at]);
      }
    }
    words.add(ByteText.decode(word.toByteArray()));
    return words;
  }
}
