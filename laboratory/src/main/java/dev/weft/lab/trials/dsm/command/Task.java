package dev.weft.lab.trials.dsm.command;

import dev.weft.dsm.SharedSpace;
import java.util.List;

/** The common work of all threads of a team. No state except the first thread's result; each JVM makes its own task from the same words. */
interface Task {
  /** The words from which another JVM makes the same task. */
  List<String> words();

  /**
   * Plays one thread's part. All threads call it at about the same time, and none leaves before all have returned.
   *
   * @param thread number of the thread in the team, from 0
   * @param threads number of threads of the team
   * @param node node of this thread, or its view in an application process
   */
  void play(int thread, int threads, SharedSpace node);

  /** Results of the first thread for another process, one per line. */
  default List<String> results() {
    throw new UnsupportedOperationException(words().getFirst() + " is for threads of nodes");
  }

  /** Takes the results of the same task in another process. */
  default void accept(List<String> results) {
    throw new UnsupportedOperationException(words().getFirst() + " is for threads of nodes");
  }
}
