package dev.weft;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;

/** The modules of the product, as the build names them: a further one is held to the rules without being named here. */
final class Modules {
  private static final Path ROOT = Path.of(System.getProperty("weft.root"));
  private static final Pattern MODULE = Pattern.compile("<module>(.*)</module>");
  /** Not the product's. */
  private static final List<String> OTHERS = List.of("laboratory", "bench", "src/test");

  private Modules() {}

  /** In the order of the build. */
  static List<String> all() {
    try {
      return MODULE.matcher(Files.readString(ROOT.resolve("pom.xml"))).results().map(found -> found.group(1))
          .filter(module -> !OTHERS.contains(module)).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
