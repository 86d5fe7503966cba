package dev.weft.tripwire;

import dev.weft.fabric.time.AppThread;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.channels.SelectableChannel;
import java.util.ArrayDeque;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

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
public final class EventQueue implements AutoCloseable {
  private final Driver nic;
  private final int number;
  private final EventSource[] sources;
  private final long[] counts;
  private final int capacity;
  private volatile long head;
  private volatile long tail;
  /** The reader was notified that the queue is not empty, and has not found it empty since. */
  private final AtomicBoolean signalled = new AtomicBoolean();
  private volatile Runnable sleeper;
  private volatile Pipe pipe;
  /** Sources whose events found no room. Hardware thread. */
  private final ArrayDeque<EventSource> late = new ArrayDeque<>();
  private long lateCount;
  private volatile boolean overflowed;
  private volatile boolean closed;
  private long signals;
  private EventSource source;
  private long count;

  EventQueue(Driver nic, int number, int capacity) {
    this.nic = nic;
    this.number = number;
    this.capacity = capacity;
    int slots = Integer.highestOneBit(Math.max(1, capacity - 1)) << 1;
    sources = new EventSource[slots];
    counts = new long[slots];
  }

  /** Registers a Tripwire, a DMA queue or an endpoint: its later events come to this queue, and to no other. */
  public void register(EventSource of) {
    nic.control(() -> {
      of.queue = this;
      return null;
    });
  }

  /** Ends the registration; events that are already in the queue are skipped. */
  public void unregister(EventSource of) {
    nic.control(() -> {
      if (of.queue == this) {
        of.queue = null;
        of.missed = 0;
      }
      return null;
    });
  }

  // The application.

  /** Takes the next event, which {@link #source} and {@link #count} describe; returns false if there is none. */
  public boolean poll() {
    while (true) {
      if (!take() && !becomesEmpty()) {
        return false;
      }
      if (source == null || source.queue == this) {
        return true;
      }
    }
  }

  private boolean take() {
    long at = head;
    if (at == tail) {
      return false;
    }
    int slot = (int) at & sources.length - 1;
    source = sources[slot];
    count = counts[slot];
    sources[slot] = null;
    head = at + 1;
    if (overflowed && at + 1 == tail) {
      nic.flushEvents(this);
    }
    return true;
  }

  /** The next event is signalled from now on. True if an event came meanwhile and was taken. */
  private boolean becomesEmpty() {
    if (!signalled.get()) {
      return take();
    }
    drainPipe();
    signalled.set(false);
    if (overflowed) {
      nic.flushEvents(this);
    }
    if (head == tail) {
      return false;
    }
    signalled.set(true);
    return take();
  }

  /** The source of the last event; null if it was an overflow. */
  public EventSource source() {
    return source;
  }

  /** How often the last event happened, 1 or more. */
  public long count() {
    return count;
  }

  /** Whether the last event says that {@link #count} events found no room; events with their sums follow. */
  public boolean isOverflow() {
    return source == null;
  }

  public int size() {
    return (int) (tail - head);
  }

  /** Waits until the queue is not empty; returns false after {@code maxNs}. Polls for {@code spinNs} before it sleeps. */
  public boolean await(long spinNs, long maxNs) {
    if (size() > 0) {
      return true;
    }
    if (spinNs > 0 && nic.host().help(() -> size() > 0, Math.min(spinNs, maxNs))) {
      return true;
    }
    Thread me = Thread.currentThread();
    long startNs = nic.nowNs();
    sleeper = () -> LockSupport.unpark(me);
    try {
      while (size() == 0) {
        long leftNs = maxNs - spinNs - (nic.nowNs() - startNs);
        if (leftNs <= 0 || nic.isClosed() || me.isInterrupted()) {
          return false;
        }
        LockSupport.parkNanos(this, leftNs);
      }
      return true;
    } finally {
      sleeper = null;
    }
  }

  /** Waits in virtual time until the queue is not empty. */
  public void await(AppThread thread) {
    sleeper = thread::unpark;
    while (size() == 0) {
      thread.park();
    }
    sleeper = null;
  }

  /** Calls {@code listener} on the hardware thread when the queue becomes non-empty; for simulated processes. */
  public void onReadable(Runnable listener) {
    sleeper = listener;
  }

  /** Readable while the queue is not empty; non-blocking. Do not read it: {@link #poll} does. */
  public synchronized SelectableChannel channel() {
    if (pipe == null) {
      try {
        Pipe made = Pipe.open();
        made.source().configureBlocking(false);
        made.sink().configureBlocking(false);
        pipe = made;
      } catch (IOException e) {
        throw new UncheckedIOException("no pipe for the event queue of " + nic.name(), e);
      }
      nic.control(() -> {
        if (size() > 0 && signalled.get()) {
          signal();
        }
        return null;
      });
    }
    return pipe.source();
  }

  private void drainPipe() {
    Pipe from = pipe;
    if (from == null) {
      return;
    }
    try {
      ByteBuffer bytes = ByteBuffer.allocate(8);
      while (from.source().read(bytes) > 0) {
        bytes.clear();
      }
    } catch (IOException e) {
      throw new UncheckedIOException("the pipe of the event queue of " + nic.name() + " cannot be read", e);
    }
  }

  // The driver; hardware thread.

  void post(EventSource of, long times) {
    if (closed) {
      return;
    }
    if (lateCount > 0 || tail - head >= capacity) {
      if (of.missed == 0) {
        late.add(of);
      }
      of.missed += times;
      lateCount++;
      overflowed = true;
    } else {
      put(of, times);
    }
    tell();
  }

  private void put(EventSource of, long times) {
    int slot = (int) tail & sources.length - 1;
    sources[slot] = of;
    counts[slot] = times;
    tail = tail + 1;
  }

  private void tell() {
    wake();
    if (!signalled.get() && signalled.compareAndSet(false, true)) {
      signal();
    }
  }

  private void signal() {
    Pipe to = pipe;
    if (to != null) {
      signals++;
      try {
        to.sink().write(ByteBuffer.allocate(1));
      } catch (IOException e) {
        closed = true; // Its reader has closed the channel, and takes no more events.
      }
    }
  }

  /** Wakes the waiting thread, which looks for an event, or whether the NIC has closed. */
  void wake() {
    Runnable wake = sleeper;
    if (wake != null) {
      Driver.tell(wake, "listener of an event queue", nic.name());
    }
  }

  /** There may be room again: puts the counted events into the ring. */
  void flush() {
    if (lateCount == 0 || tail - head >= capacity) {
      return;
    }
    put(null, lateCount);
    lateCount = 0;
    while (!late.isEmpty() && tail - head < capacity) {
      EventSource of = late.poll();
      if (of.missed > 0) {
        put(of, of.missed);
        of.missed = 0;
      }
    }
    lateCount = late.size();
    overflowed = lateCount > 0;
    tell();
  }

  /** How often the channel was written. */
  public long signals() {
    return nic.control(() -> signals);
  }

  /** Hardware thread. */
  NicSnapshot.Queue snapshot() {
    return new NicSnapshot.Queue(number, size(), capacity, overflowed, pipe != null, signals);
  }

  @Override
  public synchronized void close() {
    closed = true;
    nic.forget(this);
    if (pipe != null) {
      try {
        pipe.sink().close();
        pipe.source().close();
      } catch (IOException e) {
        throw new UncheckedIOException("the pipe of the event queue of " + nic.name() + " cannot be closed", e);
      }
    }
  }
}
