package dev.weft.dsm.apps;

import dev.weft.dsm.Consistency;
import dev.weft.dsm.SharedSpace;

/** One of the threads that run an application. Only this thread calls it. */
public interface Worker {
  /** Number of this worker, from 0. */
  int index();

  /** Workers of all nodes together, 1 to 64. */
  int count();

  /** The space as this worker's node sees it. */
  SharedSpace space();

  /** Of the arrays in which no element is changed by one step of several threads. */
  default Consistency consistency() {
    return Consistency.SEQUENTIAL;
  }

  /**
   * What the names of this run's objects begin with, at most 40 bytes of UTF-8, the same for all workers. Two runs in one space have
   * different ones: barriers stay, and a barrier has the number of workers for its shape.
   */
  String run();

  /** Whether programs ask for what a neighbour writes before they need it; those whose published original does so do it in any case. */
  default boolean asksAhead() {
    return true;
  }

  /**
   * Says that so many operations were done since the last call: once for a row or a chunk, not for each element. Nothing happens in real
   * time; in virtual time a worker's processor is busy for so long.
   */
  default void compute(Operation operation, long count) {}
}
