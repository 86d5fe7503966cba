package dev.weft.pvfs.service;

import dev.weft.pvfs.service.outside.OutsideOptions;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code weft pvfs mv}. */
@Command(name = "mv", description = "Gives a file or directory another name.")
final class PvfsMoveCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Mixin private OutsideOptions outside = new OutsideOptions();

  @Parameters(index = "0", paramLabel = "FROM", description = "In the file system.")
  private String from;

  @Parameters(index = "1", paramLabel = "TO", description = "In the file system; a file or an empty directory there is replaced.")
  private String to;


  @Override
  public Integer call() throws Exception {
    return Asking.ask(spec, outside, List.of("mv", from, to));
  }
}
