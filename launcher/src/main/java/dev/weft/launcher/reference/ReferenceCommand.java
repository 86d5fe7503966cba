package dev.weft.launcher.reference;

import dev.weft.service.CommandFailure;
import dev.weft.service.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code weft reference}. */
@Command(name = "reference", description = "Write the reference of all commands and settings, man pages, and completion for bash and zsh.",
    footerHeading = "%nExamples:%n", footer = {
        "  ./weft reference ref && less ref/settings.md    every setting with its default",
        "  source ref/weft.bash                            completion in this shell",
        "  man -l ref/man/weft-up.1                        a man page"})
public final class ReferenceCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Parameters(paramLabel = "DIR", description = "Directory for commands.md, settings.md, weft.bash and man/; created if missing. Files of these"
      + " names are replaced.")
  private Path directory;

  @Override
  public Integer call() {
    CommandLine root = spec.root().commandLine();
    try {
      CommandPages commands = new CommandPages(root);
      Path manuals = Files.createDirectories(directory.resolve("man"));
      for (var manual : commands.manuals().entrySet()) {
        Files.writeString(manuals.resolve(manual.getKey()), manual.getValue());
      }
      Files.writeString(directory.resolve("commands.md"), commands.markdown());
      Files.writeString(directory.resolve("settings.md"), new SettingsPage(ReferenceCommand.class.getClassLoader()).markdown());
      Files.writeString(directory.resolve("weft.bash"), AutoComplete.bash("weft", root));
    } catch (IOException failed) {
      throw new CommandFailure("cannot write the reference to " + directory + ": " + failed.getMessage() + "; name a directory that this user may write to",
          failed);
    }
    spec.commandLine().getOut().println("Wrote " + directory + " (commands.md, settings.md, weft.bash, man)");
    return ExitCode.OK;
  }
}
