package dev.weft.dsm.command;

import dev.weft.dsm.litmus.Backoff;
import dev.weft.dsm.litmus.LitmusReport;
import dev.weft.dsm.litmus.LitmusRun;
import dev.weft.dsm.litmus.LitmusSettings;
import dev.weft.dsm.litmus.LitmusShape;
import dev.weft.dsm.litmus.LitmusShapes;
import dev.weft.dsm.litmus.Placement;
import dev.weft.dsm.node.DsmNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Litmus shapes, each in each placement, played by all threads of a team; those with more threads than the team has are left out. */
final class LitmusTask implements Task {
  static final String NAME = "litmus";

  private final List<String> words;
  private final long rounds;
  private final long seed;
  private final List<LitmusShape> shapes;
  private final List<LitmusReport> reports = new ArrayList<>();

  /** @param words name, rounds, seed, names of shapes with commas between */
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
  public void play(int thread, int threads, DsmNode node) {
    for (LitmusShape shape : shapes) {
      for (Placement placement : shape.words() == 1 ? List.of(Placement.ONE_MINIPAGE) : List.of(Placement.values())) {
        String name = (shape.name() + "-" + placement).toLowerCase(Locale.ROOT).replace('+', '-').replace('_', '-');
        LitmusRun.playPart(shape, node, thread, threads, LitmusSettings.of(name, placement, rounds, seed), Backoff.yielding())
            .ifPresent(reports::add);
      }
    }
  }

  /** In the JVM of the first thread. */
  List<LitmusReport> reports() {
    return reports;
  }
}
