package dev.weft.launcher.cluster;

import com.typesafe.config.ConfigFactory;
import dev.weft.launcher.CommandFailure;
import dev.weft.launcher.ExitCode;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code weft join}: another JVM offers memory to a running fabric. */
@Command(name = "join", description = {"Offer memory of another JVM to a running fabric.",
    "The fabric serves it as an NBD export of its own, named after the node, while this command runs."},
    footerHeading = "%nExamples:%n", footer = "  ./weft join 127.0.0.1:25520 --memory 512M")
public final class JoinCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Parameters(paramLabel = "HOST:PORT", description = "Control plane of the fabric, as 'weft up' and 'weft status' print it.")
  private String seed;

  @Option(names = "--memory", paramLabel = "SIZE", defaultValue = "256M", converter = SizeConverter.class,
      description = "Memory to offer (default: 256M).")
  private long memory;

  @Override
  public Integer call() throws Exception {
    if (!seed.matches("[^:\\s]+:[1-9][0-9]{0,4}")) {
      throw new ParameterException(spec.commandLine(), "'" + seed + "' is not HOST:PORT");
    }
    if (memory < 1 << 20 || memory % 4096 != 0) {
      throw new ParameterException(spec.commandLine(), "--memory is " + memory + " bytes; it must be a multiple of 4096 and at least 1M");
    }
    MachineMemory.check(memory);
    StateDirectory states = StateDirectory.open();
    Path driver = states.running().stream().filter(state -> state.address().equals(seed)).map(RunState::driverDirectory)
        .findFirst().orElse(null);
    String node = JoinedName.of(ProcessHandle.current().pid(), memory);
    PrintWriter out = spec.commandLine().getOut();
    try (FabricProcess process = new FabricProcess(ConfigFactory.load(), states, 0, List.of(seed), driver, "memory")) {
      EndOfProcess.endOnSignal(process::end);
      try {
        process.addMemoryServer(node, memory);
      } catch (java.util.concurrent.CompletionException e) {
        throw new CommandFailure("no fabric answered at " + seed + "; './weft status' shows the address of a running one");
      }
      process.publish(RunState.Kind.JOIN, "127.0.0.1:0", List.of(), Map::of);
      out.println("Node " + node + " offers " + (memory >> 20) + " MiB to the fabric at " + seed
          + ". Ctrl-C takes it back: its export fails then.");
      out.flush();
      process.awaitEnd();
    } finally {
      EndOfProcess.done();
    }
    return ExitCode.OK;
  }
}
