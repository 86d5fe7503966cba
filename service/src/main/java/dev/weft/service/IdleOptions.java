package dev.weft.service;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** Rejects options that have no effect in combination with the other options of a command. */
public final class IdleOptions {
  private IdleOptions() {}

  /**
   * Rejects the command line if it contains one of {@code options}, whatever its value.
   *
   * @param spec of the command that is being run
   * @param why follows "has no effect" in the message and says what the user should do
   */
  public static void refuse(CommandSpec spec, String why, String... options) {
    for (String option : options) {
      if (spec.commandLine().getParseResult().hasMatchedOption(option)) {
        throw new ParameterException(spec.commandLine(), option + " has no effect " + why);
      }
    }
  }
}
