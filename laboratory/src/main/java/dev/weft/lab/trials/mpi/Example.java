package dev.weft.lab.trials.mpi;

import dev.weft.tripwire.mpi.Communicator;

/** A program that all ranks of a job run. No state. */
public interface Example {
  /** Name on the command line. */
  String name();

  /** What it does and how it is verified, in one line. */
  String description();

  /** Runs it. Called by the thread of each rank. */
  Outcome run(Communicator world);
}
