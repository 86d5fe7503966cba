package dev.weft.dsm.command;

import dev.weft.dsm.node.DsmNode;
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
   * @param node of this thread
   */
  void play(int thread, int threads, DsmNode node);
}
