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

/** {@code weft pvfs ls}. */
@Command(name = "ls", description = "Lists a directory, or names a file.")
final class PvfsListCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Mixin private OutsideOptions outside = new OutsideOptions();

  @Option(names = "-l", description = "Also show type and permissions, links, user, group and bytes.")
  private boolean isLong;

  @Parameters(paramLabel = "PATH", arity = "0..1", defaultValue = "/", description = "In the file system (default: ${DEFAULT-VALUE}).")
  private String path;


  @Override
  public Integer call() throws Exception {
    return Asking.ask(spec, outside, List.of("ls", path, isLong ? "long" : "short"));
  }
}
