package dev.weft.launcher.reference;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.launcher.CommandRun;
import dev.weft.launcher.WeftCommand;
import dev.weft.service.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

@Timeout(180)
class ReferenceCommandTest {
  @TempDir private Path directory;

  @Test
  void shouldWriteCommandsSettingsManualsAndCompletion() throws IOException {
    Path reference = directory.resolve("new/ref");
    CommandRun run = CommandRun.of("reference", reference.toString());
    assertEquals(ExitCode.OK, run.exitCode(), run::err);
    String commands = Files.readString(reference.resolve("commands.md"));
    for (String section : List.of("weft", "weft up", "weft pvfs mount", "weft dsm run")) {
      assertTrue(commands.contains("\n## " + section + "\n\n```\n"), section);
    }
    String settings = Files.readString(reference.resolve("settings.md"));
    assertTrue(settings.contains("\n## pager-actors\n") && settings.contains("\n**`weft.pvfs.manager.keep`** = `30 s`  \n"), settings);
    String manual = Files.readString(reference.resolve("man/weft-up.1"));
    assertTrue(manual.startsWith(".TH WEFT-UP 1") && manual.contains("\\-\\-jvms=N"), manual);
    assertTrue(Files.readString(reference.resolve("weft.bash")).contains("complete -F"));
  }

  @Test
  void shouldSayWhyItCannotWrite() throws IOException {
    Path file = Files.createFile(directory.resolve("file"));
    CommandRun run = CommandRun.of("reference", file.toString());
    assertEquals(ExitCode.FAILURE, run.exitCode());
    assertTrue(run.err().contains("cannot write the reference to " + file) && run.err().lines().count() == 1, run::err);
  }

  @Test
  void shouldFindADescriptionOfEveryCommandAndOption() {
    List<String> missing = new ArrayList<>();
    look(WeftCommand.commandLine(), missing);
    assertEquals(List.of(), missing);
  }

  /** But for those of Akka that choose a dispatcher. */
  @Test
  void shouldFindACommentOfEverySetting() throws IOException {
    var settings = new SettingsPage(ReferenceCommand.class.getClassLoader()).modules().values().stream().flatMap(List::stream).toList();
    assertTrue(settings.size() > 200, "only " + settings.size() + " settings");
    assertEquals(List.of(), settings.stream().filter(each -> each.comment().isEmpty() && !each.key().matches(".*\\.(type|executor)"))
        .map(SettingsPage.Setting::key).toList());
  }

  private static void look(CommandLine command, List<String> missing) {
    var spec = command.getCommandSpec();
    if (spec.usageMessage().description().length == 0) {
      missing.add(spec.qualifiedName());
    }
    spec.args().stream().filter(each -> !each.hidden() && each.description().length == 0).forEach(each -> missing.add(spec.qualifiedName() + " " + each));
    command.getSubcommands().values().stream().distinct().forEach(sub -> look(sub, missing));
  }
}
