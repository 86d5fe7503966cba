package dev.weft.tripwire.nic;

import dev.weft.fabric.time.AppThread;
import java.nio.channels.SelectableChannel;

/**
 * The asynchronous event queue (CLAN, section 3.5): events of many Tripwires, DMA queues and endpoints in one ring, at a cost that does not depend on
 * the number of registered sources. The ring is memory of the application; one thread takes events, without a call to the driver.
 *
 * <p>If the ring is full, events are counted for each source. As soon as there is room, an event with {@link #isOverflow} gives their number, then
 * one event for each such source gives its count. So the order may be lost, but events are not.
 *
 * <p>{@link #channel} becomes readable when the queue becomes non-empty, for a {@code java.nio.channels.Selector} that also waits for other channels.
 * It is written once each time the queue becomes non-empty: poll until false before you select again.
 */
public interface EventQueue extends AutoCloseable {
  /** Registers a Tripwire, a DMA queue or an endpoint: its later events come to this queue, and to no other. */
  void register(EventSource of);

  /** Ends the registration; events that are already in the queue are skipped. */
  void unregister(EventSource of);

  /** Takes the next event, which {@link #source} and {@link #count} describe; returns false if there is none. */
  boolean poll();

  /** The source of the last event; null if it was an overflow. */
  EventSource source();

  /** How often the last event happened, 1 or more. */
  long count();

  /** Whether the last event says that {@link #count} events found no room; events with their sums follow. */
  boolean isOverflow();

  int size();

  /** Waits until the queue is not empty; returns false after {@code maxNs}. Polls for {@code spinNs} before it sleeps. */
  boolean await(long spinNs, long maxNs);

  /** Waits in virtual time until the queue is not empty. */
  void await(AppThread thread);

  /** Calls {@code listener} on the hardware thread when the queue becomes non-empty; for simulated processes. */
  void onReadable(Runnable listener);

  /** Readable while the queue is not empty; non-blocking. Do not read it: {@link #poll} does. */
  SelectableChannel channel();

  /** How often the channel was written. */
  long signals();

  @Override
  void close();
}
