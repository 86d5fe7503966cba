package dev.weft.tripwire.mpi.examples;

import dev.weft.tripwire.mpi.Communicator;

/** A program that all ranks of a job run. Stateless. */
public interface Example {
  /** What the command line calls it. */
  String name();

  /** What it does and against what it is verified, in one line. */
  String description();

  /** Runs it; called by the thread of each rank. */
  Outcome run(Communicator world);
}
