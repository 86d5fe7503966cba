package dev.weft.launcher.cli;

import dev.weft.fabric.files.ByteText;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads the arguments of this JVM as the bytes that the user has typed. The JVM itself decodes them with the locale's charset. Without a locale, or for a
 * byte that is not UTF-8, different names then become the same text.
 */
public final class RawArguments {
  private static final Path COMMAND_LINE = Path.of("/proc/self/cmdline");

  private RawArguments() {}

  /** Returns the arguments as {@link ByteText}; if the system does not provide their bytes, returns {@code args}. */
  public static String[] of(String[] args) {
    try {
      return Files.exists(COMMAND_LINE) ? of(args, Files.readAllBytes(COMMAND_LINE)) : args;
    } catch (IOException unreadable) {
      return args;
    }
  }

  /** @param commandLine all words of the command line, each followed by a zero byte */
  static String[] of(String[] args, byte[] commandLine) {
    List<String> words = new ArrayList<>();
    ByteArrayOutputStream word = new ByteArrayOutputStream();
    for (byte one : commandLine) {
      if (one == 0) {
        words.add(ByteText.decode(word.toByteArray()));
        word.reset();
      } else {
        word.write(one);
      }
    }
    if (words.size() < args.length) {
      return args;
    }
    String[] raw = words.subList(words.size() - args.length, words.size()).toArray(String[]::new);
    for (int i = 0; i < args.length; i++) {
      if (isAscii(args[i]) && !args[i].equals(raw[i])) {
        return args; // Some come from an argument file, which only the JVM has read.
      }
    }
    return raw;
  }

  private static boolean isAscii(String text) {
    return text.chars().allMatch(one -> one < 0x80);
  }
}
