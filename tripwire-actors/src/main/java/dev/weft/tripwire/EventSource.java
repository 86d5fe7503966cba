package dev.weft.tripwire;

/** What events are of: a Tripwire, a DMA queue or an endpoint. One event queue may have registered interest in it. */
public abstract sealed class EventSource permits Tripwire, DmaQueue, Endpoint {
  /** The queue that gets the events, or null. */
  volatile EventQueue queue;
  /** Events that found no room in the queue. Hardware thread. */
  long missed;

  /** Something happened {@code count} times. Hardware thread. */
  void post(long count) {
    EventQueue to = queue;
    if (to != null) {
      to.post(this, count);
    }
  }

  /** Says who this is. */
  public abstract String describe();
}
