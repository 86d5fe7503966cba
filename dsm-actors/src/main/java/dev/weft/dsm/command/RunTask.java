package dev.weft.dsm.command;

import dev.weft.dsm.SharedSpace;
import dev.weft.dsm.apps.Application;
import dev.weft.dsm.apps.Applications;
import dev.weft.dsm.apps.Outcome;
import dev.weft.dsm.apps.Work;
import dev.weft.dsm.apps.Worker;
import dev.weft.dsm.node.DsmNode;
import java.util.List;

/** An application, a worker for each thread of a team. */
final class RunTask implements Task {
  static final String NAME = "run";

  private record TeamWorker(int index, int count, SharedSpace space, String run) implements Worker {}

  private final List<String> words;
  private final Application application;
  private final String size;
  private Outcome outcome;
  private double seconds;

  /** @param words name, application, size */
  RunTask(List<String> words) {
    this.words = List.copyOf(words);
    this.application = Applications.byName(words.get(1));
    this.size = words.get(2);
  }

  @Override
  public List<String> words() {
    return words;
  }

  Application application() {
    return application;
  }

  @Override
  public void play(int thread, int threads, DsmNode node) {
    Work work = application.work(new TeamWorker(thread, threads, node, application.name()), size);
    work.prepare();
    long startNs = System.nanoTime();
    work.run();
    long endNs = System.nanoTime();
    work.gather();
    if (thread == 0) {
      seconds = (endNs - startNs) / 1e9;
      outcome = work.outcome();
    }
  }

  /** What the first worker found, in its JVM. */
  Outcome outcome() {
    return outcome;
  }

  /** What was measured, without the filling of the input. */
  double seconds() {
    return seconds;
  }
}
