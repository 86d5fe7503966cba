package dev.weft.pvfs.service;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Unmatched;

/** {@code weft pvfs up}: as {@code weft up --pvfs}, with all its options. */
@Command(name = "up", description = {"Starts a fabric with a parallel file system: 'weft up --pvfs N', and takes all options of that, such as --jvms,",
    "--pvfs-memory and --detach; see 'weft up --help'."})
final class PvfsUpCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Option(names = "--daemons", paramLabel = "N", defaultValue = "4", description = "I/O daemons, 1 to 64 (default: ${DEFAULT-VALUE}).")
  private int daemons;

  @Unmatched private List<String> others = new ArrayList<>();

  @Override
  public Integer call() {
    List<String> words = new ArrayList<>(List.of("up"));
    if (others.stream().noneMatch(option -> option.equals("--pvfs") || option.startsWith("--pvfs="))) {
      words.add("--pvfs=" + daemons);
    }
    words.addAll(others);
    CommandLine weft = spec.root().commandLine();
    return weft.execute(words.toArray(String[]::new));
  }
}
