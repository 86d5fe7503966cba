package dev.weft.tripwire.nic;

/** Called when a Tripwire has fired. */
@FunctionalInterface
public interface TripwireHandler {
  /**
   * The Tripwire has fired, and the data is visible. The handler may arm it again. No two calls run at the same time for one Tripwire. In ISR context
   * the handler must not block.
   *
   * @param firings number of firings since the last call, 1 or more
   */
  void onFired(Tripwire tripwire, long firings);
}
