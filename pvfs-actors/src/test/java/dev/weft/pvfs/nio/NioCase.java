package dev.weft.pvfs.nio;

import java.nio.file.FileSystemException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Cases of the contract of {@code java.nio.file}: each does something below a directory and says what it saw, failures by their class. */
final class NioCase {
  /** What a case does. */
  interface Body {
    void run(Path root, NioCase saw) throws Exception;
  }

  /** Something that may fail. */
  interface Action {
    Object run() throws Exception;
  }

  private final List<String> seen = new ArrayList<>();

  private NioCase() {}

  /** What a case sees below a directory that is empty. */
  static List<String> run(Body body, Path root) throws Exception {
    NioCase saw = new NioCase();
    body.run(root, saw);
    return saw.seen;
  }

  /** What it gives, or how it fails. */
  void that(String what, Action action) {
    String outcome;
    try {
      outcome = String.valueOf(action.run());
    } catch (Exception failed) {
      outcome = nameOf(failed);
    }
    seen.add(what + ": " + outcome);
  }

  /** Which kinds of loops there are the JDK does not say. */
  private static String nameOf(Exception failed) {
    Class<?> type = failed instanceof FileSystemLoopException ? FileSystemException.class : failed.getClass();
    return type.getSimpleName() + (failed instanceof FileSystemException about && about.getFile() != null ? " of " + Path.of(about.getFile()).getFileName()
        : "");
  }

  /** Collects cases under names. */
  static final class Book {
    final Map<String, Body> cases = new LinkedHashMap<>();

    void add(String name, Body body) {
      if (cases.put(name, body) != null) {
        throw new IllegalArgumentException("two cases of the name " + name);
      }
    }
  }
}
