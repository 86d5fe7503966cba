package dev.weft.tripwire;

/** Called when a Tripwire has fired. */
@FunctionalInterface
public interface TripwireHandler {
  /**
   * The Tripwire has fired; what it tells of is visible. May arm it again. Never called twice at a time for one Tripwire. In ISR context
   * it may not block.
   *
   * @param firings how often since the last call, 1 or more
   */
  void onFired(Tripwire tripwire, long firings);
}
