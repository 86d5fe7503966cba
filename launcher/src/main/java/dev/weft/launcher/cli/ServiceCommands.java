package dev.weft.launcher.cli;

import dev.weft.service.Services;
import java.util.Optional;
import picocli.CommandLine;

/** The subcommands that jars of the class path bring, for commands that run one. */
public final class ServiceCommands {
  private ServiceCommands() {}

  /**
   * A new one, as in a process of its own, with the manners of all; empty if there is none of that name.
   *
   * @param parent its output goes where this one's goes
   */
  public static Optional<CommandLine> named(String name, CommandLine parent) {
    return Services.commands().stream().map(CommandLine::new).filter(line -> line.getCommandName().equals(name)).findFirst()
        .map(line -> Manners.configured(line, parent));
  }
}
