package dev.weft.lab.trials.dsm.command;

import java.util.List;

/** Creates the laboratory's commands for shared memory. */
public final class DsmCommands {
  private DsmCommands() {}

  /** The subcommands of {@code weft dsm}, in the order in which help shows them. */
  public static List<Object> belowDsm() {
    return List.of(new DsmRunCommand(), new DsmListCommand(), new DsmBenchCommand(), new DsmLitmusCommand());
  }

  /** The hidden subcommands of {@code weft} that run the other JVMs and processes. */
  public static List<Object> hidden() {
    return List.of(new DsmPeerCommand(), new DsmApplicationCommand());
  }
}
