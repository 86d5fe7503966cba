package dev.weft.launcher.cli;

import dev.weft.service.Services;
import java.util.Optional;
import picocli.CommandLine;

/** The subcommands of services on the class path, for commands that run one of them. */
public final class ServiceCommands {
  private ServiceCommands() {}

  /**
   * Returns a new instance of a subcommand, configured like all commands; empty if there is no subcommand with that name.
   *
   * @param parent the command whose output the subcommand uses
   */
  public static Optional<CommandLine> named(String name, CommandLine parent) {
    return Services.commands().stream().map(CommandLine::new).filter(line -> line.getCommandName().equals(name)).findFirst()
        .map(line -> Manners.configured(completed(line), parent));
  }

  /** Adds to a subcommand of {@code weft} what the jars on the class path add below it. */
  public static CommandLine completed(CommandLine line) {
    Services.commandsBelow(line.getCommandName()).forEach(line::addSubcommand);
    return line;
  }
}
