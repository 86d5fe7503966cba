package dev.weft.lab.trials.dsm.litmus;

import java.util.List;

/** Starts threads: platform threads in real time, application threads in virtual time. */
@FunctionalInterface
public interface AtOnce {
  /**
   * Runs all bodies at once, each on a thread of its own, and returns when all have ended. If one throws, the others are interrupted; when all have
   * ended, the first failure is thrown.
   */
  void run(List<Runnable> bodies);
}
