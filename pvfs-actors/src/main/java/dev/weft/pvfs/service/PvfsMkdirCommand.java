package dev.weft.pvfs.service;

import dev.weft.pvfs.service.outside.OutsideOptions;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code weft pvfs mkdir}. */
@Command(name = "mkdir", description = "Makes a directory.")
final class PvfsMkdirCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Mixin private OutsideOptions outside = new OutsideOptions();

  @Option(names = "-m", paramLabel = "MODE", defaultValue = "755", description = "Permissions, in octal (default: ${DEFAULT-VALUE}).")
  private String mode;

  @Parameters(paramLabel = "PATH", description = "In the file system; its parent must be there.")
  private String path;


  @Override
  public Integer call() throws Exception {
    return Asking.ask(spec, outside, List.of("mkdir", path, mode));
  }
}
