package dev.weft.pvfs.service;

import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code weft pvfs down}: as {@code weft down}, if that fabric has a file system. */
@Command(name = "down", description = "Ends the fabric that has the parallel file system, as 'weft down' does; a fabric without one is left alone.")
final class PvfsDownCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Override
  public Integer call() throws Exception {
    Asking.askForJson(List.of("probe", "1")); // Fails with the reason if there is no file system.
    return spec.root().commandLine().execute("down");
  }
}
