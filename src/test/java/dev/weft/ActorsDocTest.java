package dev.weft;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** docs/concepts/architecture.md lists every class that is an actor, and no other. */
class ActorsDocTest {
  private static final Path ROOT = Path.of(System.getProperty("weft.root"));
  private static final Pattern MAKES_BEHAVIOR = Pattern.compile("\\bBehaviors\\.(setup|receive|receiveMessage)\\b");
  /** It has probes that wait for one answer. */
  private static final Pattern OF_A_SIMULATION = Pattern.compile("VirtualSwitches");
  private static final Pattern NAME = Pattern.compile("`(\\w+)`");

  private static Set<String> inCode() throws IOException {
    Set<String> actors = new TreeSet<>();
    for (String module : Modules.all()) {
      try (Stream<Path> tree = Files.walk(ROOT.resolve(module).resolve("src/main/java"))) {
        for (Path file : tree.filter(f -> f.toString().endsWith(".java")).filter(f -> !OF_A_SIMULATION.matcher(f.toString()).find()).toList()) {
          if (MAKES_BEHAVIOR.matcher(Files.readString(file)).find()) {
            actors.add(file.getFileName().toString().replace(".java", ""));
          }
        }
      }
    }
    return actors;
  }

  @Test
  void shouldListEveryActorAndNothingElse() throws IOException {
    String page = Files.readString(ROOT.resolve("docs/concepts/architecture.md"));
    int from = page.indexOf("| actor | one for |");
    assertTrue(from > 0, "the page has no table of actors");
    Set<String> listed = new TreeSet<>();
    page.substring(from, page.indexOf("\n\n", from)).lines().skip(2)
        .forEach(line -> NAME.matcher(line.split("\\|")[1]).results().forEach(name -> listed.add(name.group(1))));
    assertEquals(inCode(), listed);
  }
}
