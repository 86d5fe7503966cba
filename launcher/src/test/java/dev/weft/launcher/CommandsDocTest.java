package dev.weft.launcher;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.service.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** docs/commands.md shows every option of every command, in the section of that command. */
@Timeout(180)
class CommandsDocTest {
  private static final Pattern OPTION = Pattern.compile("(?<![\\w-])--[a-z][a-z-]*[a-z]");
  /** As the help has an option with a short name, which may stand for it in the usage. */
  private static final Pattern WITH_SHORT_NAME = Pattern.compile("(-[a-zA-Z]), (--[a-z-]+)");
  private static final Set<String> OF_ALL = Set.of("--help", "--version");
  /** Parts of a command that take options. */
  private static final List<String> PARTS_OF_MPI = List.of("mpi", "run", "--help");

  private static Set<String> options(String text) {
    Set<String> options = new TreeSet<>();
    OPTION.matcher(text).results().forEach(option -> options.add(option.group()));
    return options;
  }

  @Test
  void shouldShowEveryOptionInTheSectionOfItsCommand() throws IOException {
    String page = Files.readString(Path.of(System.getProperty("weft.root", "..")).resolve("docs/commands.md"));
    List<String> missing = new ArrayList<>();
    int sections = 0;
    for (String section : page.split("\n## ")) {
      String name = section.lines().findFirst().orElseThrow();
      CommandRun help = CommandRun.of(name.equals("mpi") ? PARTS_OF_MPI.toArray(String[]::new) : new String[] {name, "--help"});
      if (!name.matches("[a-z]+") || help.exitCode() != ExitCode.OK) {
        continue;
      }
      sections++;
      Set<String> shown = options(section);
      shown.addAll(OF_ALL);
      WITH_SHORT_NAME.matcher(help.out()).results().filter(both -> section.contains("[" + both.group(1) + "="))
          .forEach(both -> shown.add(both.group(2)));
      options(help.out()).stream().filter(option -> !shown.contains(option)).forEach(option -> missing.add(name + " " + option));
    }
    assertEquals(List.of(), missing);
    assertTrue(sections > 8, "only " + sections + " commands have a section");
  }
}
