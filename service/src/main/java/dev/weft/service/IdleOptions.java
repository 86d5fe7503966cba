package dev.weft.service;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** Options that a command knows but that would change nothing, with what else was asked for. */
public final class IdleOptions {
  private IdleOptions() {}

  /**
   * Refuses them where they were given, whatever their value.
   *
   * @param spec of the command that is being run
   * @param why follows "has no effect"; says what would be right
   */
  public static void refuse(CommandSpec spec, String why, String... options) {
    for (String option : options) {
      if (spec.commandLine().getParseResult().hasMatchedOption(option)) {
        throw new ParameterException(spec.commandLine(), option + " has no effect " + why);
      }
    }
  }
}
