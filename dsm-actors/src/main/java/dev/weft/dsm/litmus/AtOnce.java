package dev.weft.dsm.litmus;

import java.util.List;

/** Who starts threads: platform threads in real time, others where threads run in virtual time. */
@FunctionalInterface
public interface AtOnce {
  /**
   * Runs all bodies at once, each on a thread of its own, and returns when all have ended. If one throws, the others are interrupted and awaited
   * and the first failure is thrown.
   */
  void run(List<Runnable> bodies);
}
