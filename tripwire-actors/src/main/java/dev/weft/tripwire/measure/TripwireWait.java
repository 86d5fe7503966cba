package dev.weft.tripwire.measure;

/** How both sides learn that their Tripwire has fired. */
enum TripwireWait {
  /** A handler, called on the hardware thread. */
  CALLBACK,
  /** A thread that polls, lending itself to the hardware meanwhile. */
  SPIN,
  /** A thread that sleeps. */
  BLOCK
}
