package dev.weft.lab.trials.dsm.command;

import java.nio.file.Path;
import java.util.List;

/** Threads of a task in a process of their own, as {@code weft dsm-application}. */
final class MmuTaskMain {
  private MmuTaskMain() {}

  public static void main(String[] arguments) throws Exception {
    DsmApplicationCommand.play(Path.of(arguments[0]), Integer.parseInt(arguments[1]), Integer.parseInt(arguments[2]), Integer.parseInt(arguments[3]),
        List.of(arguments).subList(4, arguments.length));
    System.exit(0);
  }
}
