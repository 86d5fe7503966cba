package dev.weft.launcher.cli;

import picocli.CommandLine.Model.CommandSpec;

/** A command to which services add options. */
public interface Composed {
  /** Adds the options. Called once, before the arguments are parsed. */
  void compose(CommandSpec command);
}
