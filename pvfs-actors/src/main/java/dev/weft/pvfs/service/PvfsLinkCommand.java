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

/** {@code weft pvfs ln}. */
@Command(name = "ln", description = "Gives a file a further name, or with -s makes a symbolic link.")
final class PvfsLinkCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Mixin private OutsideOptions outside = new OutsideOptions();

  @Option(names = "-s", description = "Make a symbolic link.")
  private boolean isSymbolic;

  @Parameters(index = "0", paramLabel = "TARGET", description = "A file in the file system; with -s any text.")
  private String from;

  @Parameters(index = "1", paramLabel = "PATH", description = "In the file system.")
  private String to;


  @Override
  public Integer call() throws Exception {
    return Asking.ask(spec, outside, List.of(isSymbolic ? "ln-s" : "ln", from, to));
  }
}
