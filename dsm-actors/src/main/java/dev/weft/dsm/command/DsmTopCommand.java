package dev.weft.dsm.command;

import com.typesafe.config.ConfigFactory;
import dev.weft.service.CommandFailure;
import dev.weft.service.ExitCode;
import dev.weft.service.measure.MeasureJson;
import dev.weft.service.process.StateDirectory;
import java.io.PrintWriter;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code weft dsm top}. */
@Command(
    name = "top",
    description = {"Shows which arrays and minipages of a running shared memory the nodes take from each other, again and again until Ctrl-C, and names",
        "false sharing with the place in the program that made the array and a sharing unit that would end it."})
public final class DsmTopCommand implements Callable<Integer> {
  private static final double INTERVAL_MIN_S = 0.1;
  private static final double INTERVAL_MAX_S = 3600;

  @Spec private CommandSpec spec;

  @Option(names = "--interval", paramLabel = "S", defaultValue = "2", description = "seconds between two looks, 0.1 to 3600 (default: ${DEFAULT-VALUE})")
  private double intervalS;

  @Option(names = "--once", description = "looks once")
  private boolean once;

  @Option(names = "--json", description = "a JSON object for each look, a line each")
  private boolean json;

  @Override
  public Integer call() throws Exception {
    TeamOptions.require(spec, intervalS >= INTERVAL_MIN_S && intervalS <= INTERVAL_MAX_S, "--interval is " + intervalS + ", must be from " + INTERVAL_MIN_S
        + " to " + INTERVAL_MAX_S + " seconds");
    PrintWriter out = spec.commandLine().getOut();
    try (Inspections inspections = Inspections.open(StateDirectory.open(), ConfigFactory.load())) {
      boolean goesOn = true;
      while (goesOn) {
        show(inspections.ask(), out);
        goesOn = !once && !out.checkError();
        if (goesOn) {
          Thread.sleep((long) (intervalS * 1000));
        }
      }
    }
    return ExitCode.OK;
  }

  private void show(Inspections.Answers answers, PrintWriter out) {
    List<TopSpace> spaces = TopSpace.of(answers.nodes());
    if (spaces.isEmpty()) {
      throw new CommandFailure("no JVM of the fabric carries shared memory; './weft up --dsm NAME' does"
          + (answers.problems().isEmpty() ? "" : " (" + String.join("; ", answers.problems()) + ")"));
    }
    if (json) {
      out.println(MeasureJson.line(Map.of("spaces", spaces.stream().map(TopSpace::toJson).toList(), "problems", answers.problems())));
    } else {
      spaces.forEach(space -> out.println(TopText.of(space)));
      answers.problems().forEach(problem -> out.println("Not asked: " + problem));
    }
    out.flush();
  }
}
