package dev.weft.lab.trials.dsm.command;

import dev.weft.dsm.Consistency;
import dev.weft.dsm.SharedSpace;
import dev.weft.lab.trials.dsm.apps.Application;
import dev.weft.lab.trials.dsm.apps.Applications;
import dev.weft.lab.trials.dsm.apps.Check;
import dev.weft.lab.trials.dsm.apps.Outcome;
import dev.weft.lab.trials.dsm.apps.Work;
import dev.weft.lab.trials.dsm.apps.Worker;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/** An application, with a worker for each thread of a team. */
final class RunTask implements Task {
  static final String NAME = "run";
  private static final String CHECK = "\t";

  private record TeamWorker(int index, int count, SharedSpace space, String run, Consistency consistency) implements Worker {}

  private final List<String> words;
  private final Application application;
  private final String size;
  private final Consistency consistency;
  private final int repeat;
  private Outcome outcome;
  private List<Double> seconds = List.of();

  /** @param words name, application, size, consistency, number of runs in sequence */
  RunTask(List<String> words) {
    this.words = List.copyOf(words);
    this.application = Applications.byName(words.get(1));
    this.size = words.get(2);
    this.consistency = Consistency.of("the consistency", words.get(3));
    this.repeat = Integer.parseInt(words.get(4));
  }

  @Override
  public List<String> words() {
    return words;
  }

  /** The first three lines are the seconds, the digest and the values, with blanks between; then the checks and the lines of text. */
  @Override
  public List<String> results() {
    List<String> lines = new ArrayList<>(List.of(seconds.stream().map(String::valueOf).collect(Collectors.joining(" ")), Long.toString(outcome.digest()),
        Arrays.stream(outcome.values()).mapToObj(Double::toString).collect(Collectors.joining(" "))));
    outcome.checks().forEach(check -> lines.add(CHECK + check.passed() + CHECK + check.name() + CHECK + check.detail()));
    lines.addAll(outcome.lines());
    return lines;
  }

  @Override
  public void accept(List<String> results) {
    seconds = Arrays.stream(results.get(0).split(" ")).map(Double::valueOf).toList();
    double[] values = results.get(2).isEmpty() ? new double[0] : Arrays.stream(results.get(2).split(" ")).mapToDouble(Double::parseDouble).toArray();
    List<Check> checks = new ArrayList<>();
    List<String> lines = new ArrayList<>();
    for (String line : results.subList(3, results.size())) {
      if (line.startsWith(CHECK)) {
        String[] parts = line.split(CHECK, 4);
        checks.add(new Check(parts[2], Boolean.parseBoolean(parts[1]), parts[3]));
      } else {
        lines.add(line);
      }
    }
    outcome = new Outcome(lines, checks, Long.parseLong(results.get(1)), values);
  }

  Application application() {
    return application;
  }

  @Override
  public void play(int thread, int threads, SharedSpace node) {
    for (int run = 1; run <= repeat; run++) {
      String name = application.name() + (run == 1 ? "" : "-" + run);
      playOnce(thread, application.work(new TeamWorker(thread, threads, node, name, consistency), size), run == repeat);
    }
  }

  private void playOnce(int thread, Work work, boolean isLast) {
    work.prepare();
    long startNs = System.nanoTime();
    work.run();
    long endNs = System.nanoTime();
    work.gather();
    if (thread == 0) {
      List<Double> more = new ArrayList<>(seconds);
      more.add((endNs - startNs) / 1e9);
      seconds = List.copyOf(more);
      outcome = after(outcome, work.outcome());
      if (!isLast) {
        work.free();
      }
    }
  }

  /** The outcome of the last run, with the failed checks of earlier ones. */
  private static Outcome after(Outcome before, Outcome last) {
    if (before == null) {
      return last;
    }
    List<Check> checks = new ArrayList<>(last.checks());
    before.checks().stream().filter(check -> !check.passed()).forEach(checks::add);
    Check same = last.against(before);
    if (!same.passed()) {
      checks.add(new Check("as the run before", false, same.detail()));
    }
    return new Outcome(last.lines(), checks, last.digest(), last.values());
  }

  /** The outcome of the last run, with the failed checks of all runs; in the JVM of the first worker. */
  Outcome outcome() {
    return outcome;
  }

  /** Measured seconds of each run, without the filling of the input. */
  List<Double> seconds() {
    return seconds;
  }
}
