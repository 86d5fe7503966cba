package dev.weft.tripwire;

/** A source of events: a Tripwire, a DMA queue or an endpoint. At most one event queue can register it. */
public abstract sealed class EventSource permits Tripwire, DmaQueue, Endpoint {
  /** The queue that gets the events, or null. */
  volatile EventQueue queue;
  /** Events that found no room in the queue. Hardware thread. */
  long missed;

  /** An event happened {@code count} times. Hardware thread. */
  void post(long count) {
    EventQueue to = queue;
    if (to != null) {
      to.post(this, count);
    }
  }

  /** Describes the source for users. */
  public abstract String describe();
}
