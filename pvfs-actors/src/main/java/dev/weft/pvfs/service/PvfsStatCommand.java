package dev.weft.pvfs.service;

import dev.weft.pvfs.service.outside.OutsideOptions;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code weft pvfs stat}. */
@Command(name = "stat", description = "Shows what the manager knows of a file, its length and its striping.")
final class PvfsStatCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Mixin private OutsideOptions outside = new OutsideOptions();

  @Parameters(paramLabel = "PATH", description = "In the file system.")
  private String path;


  @Override
  public Integer call() throws Exception {
    return Asking.ask(spec, outside, List.of("stat", path));
  }
}
