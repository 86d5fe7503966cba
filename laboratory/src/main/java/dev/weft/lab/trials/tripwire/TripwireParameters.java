package dev.weft.lab.trials.tripwire;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * The parameters of one measurement.
 *
 * @param how how both sides of RTT learn that a Tripwire has fired
 * @param sizeBytes length of each write
 * @param iterations number of writes, or 0 if the duration counts
 * @param durationNs how long writes are started, or 0 if the iterations count
 * @param warmUp writes before the clock starts
 * @param depth writes in flight
 * @param endpoints places that are written in turn, or at random by SERVER, each with a Tripwire of its own
 * @param gapNs pause between a reply and the next request of SERVER
 */
record TripwireParameters(TripwireTest test, TripwireWait how, int sizeBytes, long iterations, long durationNs, long warmUp, int depth,
    int endpoints, long gapNs) {
  /** Bytes of {@link #write}. */
  static final int LENGTH = 20;
  private static final int LINE = 64;

  /** Bytes from one place to the next; places never touch, because a switch might join two waiting writes. */
  int strideBytes() {
    return (sizeBytes + LINE - 1) / LINE * LINE + LINE;
  }

  /** Bytes of all places. */
  long placesBytes() {
    return (long) strideBytes() * endpoints;
  }

  long placeOf(long write) {
    return write % endpoints * strideBytes();
  }

  /** Writes between two acknowledgements of a stream. */
  int ackEvery() {
    return Math.max(1, depth / 4);
  }

  /** Writes the parameters for the far side. */
  void write(MemorySegment to, long offset) {
    int[] words = {test.ordinal(), how.ordinal(), sizeBytes, depth, endpoints};
    for (int i = 0; i < words.length; i++) {
      to.set(ValueLayout.JAVA_INT_UNALIGNED, offset + 4L * i, words[i]);
    }
  }

  static TripwireParameters read(MemorySegment from) {
    int[] words = from.asSlice(0, LENGTH).toArray(ValueLayout.JAVA_INT_UNALIGNED);
    return new TripwireParameters(TripwireTest.values()[words[0]], TripwireWait.values()[words[1]], words[2], 0, 0, 0, words[3], words[4],
        0);
  }
}
