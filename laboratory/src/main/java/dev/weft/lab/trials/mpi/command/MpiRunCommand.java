package dev.weft.lab.trials.mpi.command;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.typesafe.config.ConfigFactory;
import dev.weft.hca.node.LocalFabric;
import dev.weft.lab.trials.mpi.Example;
import dev.weft.lab.trials.mpi.Examples;
import dev.weft.lab.trials.mpi.Outcome;
import dev.weft.service.CommandFailure;
import dev.weft.service.ExitCode;
import dev.weft.tripwire.mpi.MpiSettings;
import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Function;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code weft mpi run}. */
@Command(
    name = "run",
    description = {"Runs a program on this number of ranks, verifies its result and prints it. A wrong result, or a rank that fails,",
        "ends with exit code 1."})
public final class MpiRunCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Parameters(index = "0", paramLabel = "EXAMPLE", description = "a program of 'weft mpi list'")
  private String exampleName;

  @Option(names = "--ranks", paramLabel = "N", defaultValue = "4",
      description = "ranks of the job, 1 to weft.tripwire.mpi.ranks-max (default: ${DEFAULT-VALUE})")
  private int ranks;

  @Option(names = "--jvms", paramLabel = "N", defaultValue = "1",
      description = "JVMs among which the ranks are divided, 1 to the number of ranks (default: ${DEFAULT-VALUE})")
  private int jvms;

  @Option(names = "--json", description = "one JSON object instead of text")
  private boolean json;

  /** Finds a program by its name; throws IllegalArgumentException if there is none. */
  private Function<String, Example> examples = Examples::named;

  /** Runs other programs. */
  void use(Function<String, Example> others) {
    examples = others;
  }

  @Override
  public Integer call() {
    Example example = example();
    int ranksMax = MpiSettings.from(ConfigFactory.load()).ranksMax();
    require(ranks >= 1 && ranks <= ranksMax, "--ranks is " + ranks + ", must be from 1 to " + ranksMax + " (weft.tripwire.mpi.ranks-max)");
    require(jvms >= 1 && jvms <= ranks, "--jvms is " + jvms + ", must be from 1 to " + ranks + ", the number of ranks");
    long startNs = System.nanoTime();
    Outcome outcome = jvms == 1 ? runHere(example) : SeveralJvms.run(example, ranks, jvms);
    print(example, outcome, (System.nanoTime() - startNs) / 1e9);
    return outcome.isVerified() ? ExitCode.OK : ExitCode.FAILURE;
  }

  private Outcome runHere(Example example) {
    try (LocalFabric fabric = LocalFabric.start(ConfigFactory.empty())) {
      Ranks all = new Ranks(fabric, fabric::addNode, example, 0, ranks, ranks);
      all.join();
      if (all.failure() != null) {
        throw new CommandFailure(all.failure().toString(), all.failure().reason());
      }
      return all.outcome(0);
    }
  }

  private Example example() {
    try {
      return examples.apply(exampleName);
    } catch (IllegalArgumentException unknown) {
      throw new ParameterException(spec.commandLine(), unknown.getMessage());
    }
  }

  private void require(boolean condition, String message) {
    if (!condition) {
      throw new ParameterException(spec.commandLine(), message);
    }
  }

  private void print(Example example, Outcome outcome, double seconds) {
    PrintWriter out = spec.commandLine().getOut();
    if (json) {
      Map<String, Object> object = new LinkedHashMap<>();
      object.put("example", example.name());
      object.put("ranks", ranks);
      object.put("jvms", jvms);
      object.put("verified", outcome.isVerified());
      object.put("elapsedSeconds", seconds);
      object.put("values", outcome.values());
      out.println(toJson(object));
    } else {
      out.println(example.name() + ": " + example.description());
      out.println(ranks + (ranks == 1 ? " rank in " : " ranks in ") + jvms + (jvms == 1 ? " JVM" : " JVMs"));
      outcome.values().forEach((key, value) -> out.println(String.format(Locale.ROOT, "  %-14s %s", key, value)));
      out.println(String.format(Locale.ROOT, "%s, %.2f s with start-up", outcome.isVerified() ? "verified" : "WRONG", seconds));
    }
    out.flush();
  }

  private static String toJson(Map<String, Object> object) {
    try {
      return new ObjectMapper().writeValueAsString(object);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }
}
