package dev.weft.service.process;

import dev.weft.fabric.files.ByteText;
import dev.weft.service.CommandFailure;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;

/**
 * The wire form of a request: words separated by tabs, then a line end. A word may contain any bytes, as text of {@link ByteText}. A tab, line end or
 * backslash within a word becomes a backslash and a letter.
 */
final class RequestLine {
  /** Room for two paths of 4,096 bytes, if each byte is escaped, and some words. */
  static final int BYTES_MAX = 1 << 15;

  private RequestLine() {}

  /**
   * Returns the line with its line end.
   *
   * @throws CommandFailure if the line is longer than {@link #BYTES_MAX}
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

  /** Returns the words of a line that has no line end. */
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
