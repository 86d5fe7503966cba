package dev.weft.pvfs.service;

import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code weft pvfs down}: {@code weft down}, if there is a file system in that fabric. */
@Command(name = "down", description = "Ends the fabric that has the parallel file system, as 'weft down' does; a fabric without one is left alone.")
final class PvfsDownCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Override
  public Integer call() throws Exception {
    Asking.askForJson(List.of("probe", "1")); // Refused with the reason where there is no file system.
    return spec.root().commandLine().execute("down");
  }
}
