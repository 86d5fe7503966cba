package dev.weft.dsm.command;

import dev.weft.dsm.SharedSpace;
import java.util.List;

/** What all threads of a team do together. Stateless but for the first thread's result; each JVM makes its own from the same words. */
interface Task {
  /** What another JVM makes the same task of. */
  List<String> words();

  /**
   * One thread's part. All are called at about the same time, and none leaves before all have returned.
   *
   * @param thread its number in the team, from 0
   * @param threads of the team
   * @param node of this thread, or what an application in a process of its own sees of it
   */
  void play(int thread, int threads, SharedSpace node);

  /** What the first thread found, for another process: a line each. */
  default List<String> results() {
    throw new UnsupportedOperationException(words().getFirst() + " is for threads of nodes");
  }

  /** Takes the results of the same task of another process. */
  default void accept(List<String> results) {
    throw new UnsupportedOperationException(words().getFirst() + " is for threads of nodes");
  }
}
