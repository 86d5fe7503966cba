package dev.weft.pvfs.service;

import dev.weft.pvfs.service.outside.OutsideOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code weft pvfs setstripe}. */
@Command(name = "setstripe", description = "Sets the striping of files that are created in a directory later, and in new directories below it.")
final class PvfsSetStripeCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Mixin private OutsideOptions outside = new OutsideOptions();

  @Mixin private StripingOptions striping = new StripingOptions();

  @Parameters(paramLabel = "DIR", description = "A directory in the file system.")
  private String path;

  @Override
  public Integer call() throws Exception {
    List<String> words = new ArrayList<>(List.of("setstripe", path));
    words.addAll(striping.words());
    return Asking.ask(spec, outside, words);
  }
}
