package dev.weft.launcher.cli;

import picocli.CommandLine.Model.CommandSpec;

/** A command that services add options to. */
public interface Composed {
  /** Adds them; called once, before anything is parsed. */
  void compose(CommandSpec command);
}
