package dev.weft.tripwire.driver;

import dev.weft.tripwire.nic.EventSource;

/** The event queue that has registered a source, and the events that it owes to the source. */
public abstract class Source implements EventSource {
  /** The queue that gets the events, or null. */
  public volatile EventRing queue;
  /** Events that found no room in the queue. Hardware thread. */
  long missed;

  /** An event happened {@code count} times. Hardware thread. */
  void post(long count) {
    EventRing to = queue;
    if (to != null) {
      to.post(this, count);
    }
  }
}
