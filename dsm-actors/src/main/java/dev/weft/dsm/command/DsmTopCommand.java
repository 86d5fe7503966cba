package dev.weft.dsm.command;

import com.fasterxml.jackson.databind.JsonNode;
import com.typesafe.config.ConfigFactory;
import dev.weft.service.CommandFailure;
import dev.weft.service.ExitCode;
import dev.weft.service.measure.MeasureJson;
import dev.weft.service.process.Inspections;
import dev.weft.service.process.RunState;
import dev.weft.service.process.StateDirectory;
import dev.weft.service.terminal.LookOptions;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code weft dsm top}. */
@Command(
    name = "top",
    description = {"Shows which arrays and minipages of a running shared memory the nodes take from each other, again and again until Ctrl-C, and names",
        "false sharing with the place in the program that made the array and a sharing unit that would end it."})
public final class DsmTopCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Mixin private LookOptions looks = new LookOptions();

  @Option(names = "--json", description = "A JSON object for each look, a line each.")
  private boolean json;

  @Override
  public Integer call() throws Exception {
    looks.check();
    PrintWriter out = spec.commandLine().getOut();
    StateDirectory states = StateDirectory.open();
    try (Inspections inspections = Inspections.open(ConfigFactory.load())) {
      look(states, inspections, out);
      while (looks.goesOn(out)) {
        looks.pause();
        look(states, inspections, out);
      }
    }
    return ExitCode.OK;
  }

  private void look(StateDirectory states, Inspections inspections, PrintWriter out) throws IOException {
    List<RunState> running = states.requireRunning("./weft up --dsm NAME");
    List<String> problems = new ArrayList<>();
    List<JsonNode> nodes = new ArrayList<>();
    inspections.ask(running, "/weft/dsm", problems).forEach(answer -> answer.path("nodes").forEach(nodes::add));
    if (problems.size() == running.size()) {
      throw new CommandFailure(String.join("; ", problems));
    }
    show(TopSpace.of(nodes), problems, out);
  }

  private void show(List<TopSpace> spaces, List<String> problems, PrintWriter out) {
    if (spaces.isEmpty()) {
      throw new CommandFailure("no JVM of the fabric carries shared memory; './weft up --dsm NAME' does"
          + (problems.isEmpty() ? "" : " (" + String.join("; ", problems) + ")"));
    }
    if (json) {
      out.println(MeasureJson.line(Map.of("spaces", spaces.stream().map(TopSpace::toJson).toList(), "problems", problems)));
    } else {
      spaces.forEach(space -> out.println(TopText.of(space)));
      problems.forEach(problem -> out.println("Not asked: " + problem));
    }
    out.flush();
  }
}
