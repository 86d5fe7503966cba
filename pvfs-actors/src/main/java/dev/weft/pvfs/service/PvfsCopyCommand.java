package dev.weft.pvfs.service;

import dev.weft.pvfs.service.outside.OutsideOptions;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code weft pvfs cp}. */
@Command(name = "cp", description = "Copies a file into the file system or out of it: one of the two paths begins with 'pvfs:'.")
final class PvfsCopyCommand implements Callable<Integer> {
  private static final String SCHEME = "pvfs:";

  @Spec private CommandSpec spec;

  @Mixin private OutsideOptions outside = new OutsideOptions();

  @Mixin private StripingOptions striping = new StripingOptions();

  @Parameters(index = "0", paramLabel = "FROM", description = "A file of this host, or pvfs:PATH.")
  private String from;

  @Parameters(index = "1", paramLabel = "TO", description = "pvfs:PATH, or a file of this host; what is there is replaced.")
  private String to;

  @Override
  public Integer call() throws Exception {
    if (from.startsWith(SCHEME) == to.startsWith(SCHEME)) {
      throw new ParameterException(spec.commandLine(), "one of '" + from + "' and '" + to + "' must begin with " + SCHEME);
    }
    if (from.startsWith(SCHEME)) {
      return Asking.ask(spec, outside, List.of("get", from.substring(SCHEME.length()), Path.of(to).toAbsolutePath().toString()));
    }
    List<String> words = new ArrayList<>(List.of("put", Path.of(from).toAbsolutePath().toString(), to.substring(SCHEME.length())));
    words.addAll(striping.words());
    return Asking.ask(spec, outside, words);
  }
}
