package dev.weft.lab.trials.dsm.command;

import dev.weft.dsm.SharedSpace;
import dev.weft.lab.trials.dsm.litmus.Backoff;
import dev.weft.lab.trials.dsm.litmus.LitmusReport;
import dev.weft.lab.trials.dsm.litmus.LitmusRun;
import dev.weft.lab.trials.dsm.litmus.LitmusSettings;
import dev.weft.lab.trials.dsm.litmus.LitmusShape;
import dev.weft.lab.trials.dsm.litmus.LitmusShapes;
import dev.weft.lab.trials.dsm.litmus.Outcome;
import dev.weft.lab.trials.dsm.litmus.Outcomes;
import dev.weft.lab.trials.dsm.litmus.Placement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Litmus shapes, each in each placement, played by all threads of a team; shapes with more threads than the team are left out. */
final class LitmusTask implements Task {
  static final String NAME = "litmus";

  private final List<String> words;
  private final long rounds;
  private final long seed;
  private final List<LitmusShape> shapes;
  private final List<LitmusReport> reports = new ArrayList<>();

  /** @param words name, rounds, seed, names of shapes separated by commas */
  LitmusTask(List<String> words) {
    this.words = List.copyOf(words);
    this.rounds = Long.parseLong(words.get(1));
    this.seed = Long.parseLong(words.get(2));
    this.shapes = List.of(words.get(3).split(",")).stream().map(LitmusShapes::named).toList();
  }

  @Override
  public List<String> words() {
    return words;
  }

  @Override
  public void play(int thread, int threads, SharedSpace node) {
    for (LitmusShape shape : shapes) {
      for (Placement placement : shape.words() == 1 ? List.of(Placement.ONE_MINIPAGE) : List.of(Placement.values())) {
        String name = (shape.name() + "-" + placement).toLowerCase(Locale.ROOT).replace('+', '-').replace('_', '-');
        LitmusRun.playPart(shape, node, thread, threads, LitmusSettings.of(name, placement, rounds, seed), Backoff.yielding())
            .ifPresent(reports::add);
      }
    }
  }

  /** A line for each report: shape, placement, rounds, and each outcome with its count. */
  @Override
  public List<String> results() {
    return reports.stream().map(report -> report.shape().name() + " " + report.placement() + " " + report.rounds() + report.seen().entrySet().stream()
        .map(seen -> " " + seen.getKey().values().stream().map(Object::toString).collect(Collectors.joining(",")) + ":" + seen.getValue())
        .collect(Collectors.joining())).toList();
  }

  @Override
  public void accept(List<String> results) {
    for (String line : results) {
      String[] parts = line.split(" ");
      LitmusShape shape = LitmusShapes.named(parts[0]);
      SortedMap<Outcome, Long> seen = new TreeMap<>();
      for (int i = 3; i < parts.length; i++) {
        String[] both = parts[i].split(":");
        seen.put(Outcome.of(Arrays.stream(both[0].split(",")).mapToLong(Long::parseLong).toArray()), Long.valueOf(both[1]));
      }
      reports.add(new LitmusReport(shape, Placement.valueOf(parts[1]), Long.parseLong(parts[2]), seen, Outcomes.of(shape)));
    }
  }

  /** The reports, in the JVM of the first thread. */
  List<LitmusReport> reports() {
    return reports;
  }
}
