package dev.weft.lab.trials.tripwire;

/** How both sides learn that their Tripwires have fired. */
enum TripwireWait {
  /** A handler, called on the hardware thread. */
  CALLBACK,
  /** A thread that polls, and runs the hardware meanwhile. */
  SPIN,
  /** A thread that sleeps. */
  BLOCK
}
