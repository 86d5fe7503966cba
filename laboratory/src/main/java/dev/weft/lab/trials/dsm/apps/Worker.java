package dev.weft.lab.trials.dsm.apps;

import dev.weft.dsm.Consistency;
import dev.weft.dsm.SharedSpace;

/** One of the threads that run an application. Only this thread calls the methods. */
public interface Worker {
  /** Number of this worker, from 0. */
  int index();

  /** Number of workers of all nodes, 1 to 64. */
  int count();

  /** The space as this worker's node sees it. */
  SharedSpace space();

  /** Consistency of the arrays in which threads do no atomic updates. */
  default Consistency consistency() {
    return Consistency.SEQUENTIAL;
  }

  /**
   * Prefix of the names of this run's objects, at most 40 bytes of UTF-8, the same for all workers. Two runs in one space need different prefixes:
   * barriers stay, and the number of workers is part of a barrier's shape.
   */
  String run();

  /** Whether programs prefetch what a neighbour writes. Programs whose published original does so prefetch in any case. */
  default boolean asksAhead() {
    return true;
  }

  /**
   * Reports {@code count} operations since the last call: once for a row or a chunk, not for each element. No effect in real time; in virtual time a
   * worker's processor is busy for their duration.
   */
  default void compute(Operation operation, long count) {}
}
