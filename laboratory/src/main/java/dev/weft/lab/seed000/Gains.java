package dev.weft.lab.seed000;

import dev.weft.lab.repro.Comparison;
import dev.weft.lab.seed000.shared.Program;
import dev.weft.lab.seed000.shared.Runs;
import dev.weft.lab.seed000.shared.Setup;
import dev.weft.lab.seed000.shared.SharedRun;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.ToDoubleFunction;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * What one way to run programs gains against another, program by program.
 *
 * @param percents less time, or less of something else, in percent of the other's; in the order of the programs
 */
record Gains(List<Program> programs, double[] percents) {
  private static final double PERCENT = 100;

  /** All programs under setups made from that of eight hosts with two threads. */
  static List<SharedRun.Result> run(Runs runs, List<Program> programs, UnaryOperator<Setup> how) {
    return runs.of(programs.stream().map(program -> how.apply(program.on(SpeedupExperiment.HOSTS, 2))).toList());
  }

  /** Of execution times. */
  static Gains of(List<Program> programs, List<SharedRun.Result> results, List<SharedRun.Result> others) {
    return of(programs, results, others, SharedRun.Result::elapsedNs);
  }

  static Gains of(List<Program> programs, List<SharedRun.Result> results, List<SharedRun.Result> others, ToDoubleFunction<SharedRun.Result> what) {
    double[] percents = new double[programs.size()];
    for (int i = 0; i < percents.length; i++) {
      double other = what.applyAsDouble(others.get(i));
      percents[i] = other == 0 ? 0 : PERCENT * (other - what.applyAsDouble(results.get(i))) / other;
    }
    return new Gains(programs, percents);
  }

  double max() {
    return Arrays.stream(percents).max().orElseThrow();
  }

  double min() {
    return Arrays.stream(percents).min().orElseThrow();
  }

  double mean() {
    return Arrays.stream(percents).average().orElseThrow();
  }

  /** Programs that gain more than {@code least} percent. */
  long above(double least) {
    return Arrays.stream(percents).filter(percent -> percent > least).count();
  }

  /** Program by program. */
  String text() {
    return IntStream.range(0, percents.length).mapToObj(i -> programs.get(i).title() + " " + number(percents[i])).collect(Collectors.joining(", ")) + " %";
  }

  static String number(double percent) {
    return Comparison.number(Math.round(10 * percent) / 10.0);
  }

  /** Lines of a table: a program, then each of these. */
  static List<List<Object>> lines(Gains... gains) {
    List<List<Object>> lines = new ArrayList<>();
    for (int i = 0; i < gains[0].percents.length; i++) {
      List<Object> line = new ArrayList<>(List.of(gains[0].programs.get(i).title()));
      for (Gains gain : gains) {
        line.add(number(gain.percents[i]));
      }
      lines.add(line);
    }
    return lines;
  }
}
