package dev.weft.pvfs.meta;

import dev.weft.pvfs.Errno;
import dev.weft.pvfs.wire.Caller;
import dev.weft.pvfs.wire.FileLock;
import dev.weft.pvfs.wire.MetaEvent;
import dev.weft.pvfs.wire.MetaOp;
import dev.weft.pvfs.wire.MetaReply;
import dev.weft.pvfs.wire.MetaRequest;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks the manager for events repeatedly while there are listeners: one request is outstanding. Each request also shows that the client is alive,
 * which extends its lease. Any thread. A separate thread, which may wait, does the work after an event; in virtual time the client's thread does.
 */
public final class EventReader implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(EventReader.class);
  private static final long PAUSE_MS = 20;

  private record Answer(MetaReply reply, List<MetaEvent> events) {}

  private final MetaClient client;
  private final boolean hasThread;
  private final List<EventListener> listeners = new CopyOnWriteArrayList<>();
  private final BlockingQueue<Answer> answers = new ArrayBlockingQueue<>(2);
  private volatile boolean isClosed;
  private boolean isStarted;
  private Thread thread;

  // For the client's thread.
  private long doneTo;
  private long epoch;
  /** When the last answered request was sent, and whether there is one. */
  private volatile long heardNs;
  private volatile boolean isHeard;
  private volatile long leaseNs;

  /** @param hasThread false in virtual time */
  EventReader(MetaClient client, boolean hasThread) {
    this.client = client;
    this.hasThread = hasThread;
  }

  /** Adds a listener, which gets events from now on. */
  public synchronized void listen(EventListener listener) {
    listeners.add(listener);
    start();
  }

  /** Begins to ask, unless it has begun. */
  synchronized void start() {
    if (!isStarted && !isClosed) {
      isStarted = true;
      if (!ask(0, 0) && hasThread) {
        answers.add(new Answer(MetaReply.failed(0, Errno.EAGAIN), List.of())); // The maximum number of requests is under way: the thread asks again.
      }
      thread = hasThread ? Thread.ofPlatform().daemon().name("pvfs-events").start(this::run) : null;
    }
  }

  /** Whether the manager has heard of this client within so long, as far as this client knows. */
  public boolean isHeardWithin(long ns) {
    return isHeard && sinceNs(heardNs) < ns;
  }

  /** The same, or the request that was sent at {@code askedNs} is younger than that. */
  public boolean isSince(long askedNs, long ns) {
    return isHeardWithin(ns) || sinceNs(askedNs) < ns;
  }

  /** Returns how long the client may still use its cache, in nanoseconds; 0 or less if it may not. */
  public long remainingNs() {
    return isHeard ? leaseNs - sinceNs(heardNs) : 0;
  }

  /** Returns the present time for {@link #isSince}. */
  public long nowNs() {
    return client.suspendAwareNs();
  }

  private long sinceNs(long then) {
    return client.suspendAwareNs() - then;
  }

  /** The connection is lost: another manager may answer next, which does not know this client's cache. On the client's thread. */
  void lapse() {
    if (isHeard) {
      isHeard = false;
      listeners.forEach(EventListener::onLapsed);
    }
  }

  /** A lock could not be claimed at a restarted manager. On the client's thread. */
  void lockLost(long inode, FileLock lock) {
    listeners.forEach(listener -> listener.onLockLost(inode, lock));
  }

  private boolean ask(long stream, long upTo) {
    long sentNs = nowNs();
    return client.tryAsk(MetaRequest.of(MetaOp.EVENTS, Caller.ROOT, 0, stream, upTo), reply -> onReply(reply, sentNs));
  }

  /** On the client's thread. */
  private void onReply(MetaReply reply, long sentNs) {
    List<MetaEvent> events = List.of();
    if (reply.errno() == Errno.OK) {
      if (reply.number() != epoch) {
        if (epoch != 0) {
          listeners.forEach(EventListener::onLost);
        }
        epoch = reply.number();
        doneTo = 0;
      }
      long before = doneTo;
      MetaEvent.Page page = MetaEvent.decode(reply.value());
      if (remainingNs() <= 0) {
        listeners.forEach(EventListener::onLapsed);
      }
      leaseNs = page.leaseNs();
      events = page.events().stream().filter(event -> event.number() > before).toList();
      for (MetaEvent event : events) {
        if (event.kind() == MetaEvent.Kind.LOCKED) {
          client.ledger().granted(event.subject());
        }
        listeners.forEach(listener -> listener.onEvent(event));
      }
      heardNs = sentNs;
      isHeard = true;
    }
    if (hasThread) {
      answers.add(new Answer(reply, events));
    } else {
      goOn(new Answer(reply, events));
    }
  }

  private void goOn(Answer answer) {
    done(answer);
    boolean isOver = isClosed || answer.reply().errno() == Errno.ESHUTDOWN;
    if (!isOver && !ask(epoch, doneTo)) {
      throw new IllegalStateException("events cannot be asked for: as many requests as may be are under way, and this thread cannot wait");
    }
  }

  private void done(Answer answer) {
    for (MetaEvent event : answer.events()) {
      after(event);
      doneTo = event.number();
    }
  }

  private void run() {
    try {
      while (!isClosed) {
        Answer answer = answers.take();
        done(answer);
        if (answer.reply().errno() == Errno.ESHUTDOWN) {
          return;
        }
        if (answer.reply().errno() != Errno.OK) {
          Thread.sleep(PAUSE_MS);
        }
        while (!isClosed && !ask(epoch, doneTo)) { // The maximum number of requests is under way.
          Thread.sleep(PAUSE_MS);
        }
      }
    } catch (InterruptedException closing) {
      Thread.currentThread().interrupt();
    }
  }

  private void after(MetaEvent event) {
    for (EventListener listener : listeners) {
      try {
        listener.afterEvent(event);
      } catch (RuntimeException failed) {
        LOG.error("what the manager has told could not be done", failed);
      }
    }
  }

  @Override
  public synchronized void close() {
    isClosed = true;
    if (thread != null) {
      thread.interrupt();
    }
  }
}
