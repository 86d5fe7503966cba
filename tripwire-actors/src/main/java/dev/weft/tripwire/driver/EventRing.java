package dev.weft.tripwire.driver;

import dev.weft.fabric.time.AppThread;
import dev.weft.tripwire.nic.EventQueue;
import dev.weft.tripwire.nic.EventSource;
import dev.weft.tripwire.nic.NicSnapshot;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.channels.SelectableChannel;
import java.util.ArrayDeque;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

/** An event queue: a ring in memory of the application. */
public final class EventRing implements EventQueue {
  private final Driver nic;
  private final int number;
  private final Source[] sources;
  private final long[] counts;
  private final int capacity;
  private volatile long head;
  private volatile long tail;
  /** The reader was notified that the queue is not empty, and has not found it empty since. */
  private final AtomicBoolean signalled = new AtomicBoolean();
  private volatile Runnable sleeper;
  private volatile Pipe pipe;
  /** Sources whose events found no room. Hardware thread. */
  private final ArrayDeque<Source> late = new ArrayDeque<>();
  private long lateCount;
  private volatile boolean overflowed;
  private volatile boolean closed;
  private long signals;
  private Source source;
  private long count;

  public EventRing(Driver nic, int number, int capacity) {
    this.nic = nic;
    this.number = number;
    this.capacity = capacity;
    int slots = Integer.highestOneBit(Math.max(1, capacity - 1)) << 1;
    sources = new Source[slots];
    counts = new long[slots];
  }

  @Override
  public void register(EventSource of) {
    Source registered = (Source) of;
    nic.control(() -> {
      registered.queue = this;
      return null;
    });
  }

  @Override
  public void unregister(EventSource of) {
    Source registered = (Source) of;
    nic.control(() -> {
      if (registered.queue == this) {
        registered.queue = null;
        registered.missed = 0;
      }
      return null;
    });
  }

  // The application.

  @Override
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

  @Override
  public Source source() {
    return source;
  }

  @Override
  public long count() {
    return count;
  }

  @Override
  public boolean isOverflow() {
    return source == null;
  }

  @Override
  public int size() {
    return (int) (tail - head);
  }

  @Override
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

  @Override
  public void await(AppThread thread) {
    sleeper = thread::unpark;
    while (size() == 0) {
      thread.park();
    }
    sleeper = null;
  }

  @Override
  public void onReadable(Runnable listener) {
    sleeper = listener;
  }

  @Override
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

  void post(Source of, long times) {
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

  private void put(Source of, long times) {
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
  public void wake() {
    Runnable wake = sleeper;
    if (wake != null) {
      Driver.tell(wake, "listener of an event queue", nic.name());
    }
  }

  /** There may be room again: puts the counted events into the ring. */
  public void flush() {
    if (lateCount == 0 || tail - head >= capacity) {
      return;
    }
    put(null, lateCount);
    lateCount = 0;
    while (!late.isEmpty() && tail - head < capacity) {
      Source of = late.poll();
      if (of.missed > 0) {
        put(of, of.missed);
        of.missed = 0;
      }
    }
    lateCount = late.size();
    overflowed = lateCount > 0;
    tell();
  }

  @Override
  public long signals() {
    return nic.control(() -> signals);
  }

  /** Hardware thread. */
  public NicSnapshot.Queue snapshot() {
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
