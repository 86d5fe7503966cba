package dev.weft.tripwire.nic;

/** A source of events: a Tripwire, a DMA queue or an endpoint. At most one event queue can register it. */
public interface EventSource {
  /** Describes the source for users. */
  String describe();
}
