package dev.weft.pvfs.meta;

import dev.weft.hca.node.Interrupts;
import dev.weft.pvfs.Errno;
import dev.weft.pvfs.wire.Caller;
import dev.weft.pvfs.wire.FileLock;
import dev.weft.pvfs.wire.MetaEvent;
import dev.weft.pvfs.wire.MetaOp;
import dev.weft.pvfs.wire.MetaReply;
import dev.weft.pvfs.wire.MetaRequest;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Locks files at the manager. A lock that waits holds no thread. Any thread. */
public final class LockClient {
  private static final Logger LOG = LoggerFactory.getLogger(LockClient.class);
  private static final Duration CANCEL = Duration.ofSeconds(60);

  private final MetaClient client;
  private final EventReader events;
  private final Map<Long, Waiting> waiting = new ConcurrentHashMap<>();
  private final AtomicLong tickets = new AtomicLong(1);
  /** Owners that have lost a lock and were not told yet. Bound: owners of this client. */
  private final Set<LockOwner> lost = ConcurrentHashMap.newKeySet();
  private final AtomicLong lostCount = new AtomicLong();
  private boolean isListening;

  /** A lock that was asked for and is not answered; it is answered once. */
  public final class Waiting {
    private final long ticket;
    private final IntConsumer then;

    private Waiting(long ticket, IntConsumer then) {
      this.ticket = ticket;
      this.then = then;
    }

    private void end(int errno) {
      if (waiting.remove(ticket, this)) {
        then.accept(errno);
      }
    }

    /** Waits no more: ends with {@code errno}, unless it is held already; that is told as otherwise. */
    public void cancel(int errno) {
      MetaRequest request = MetaRequest.of(MetaOp.LOCK_CANCEL, Caller.ROOT, 0, ticket);
      client.askSurely(request, reply -> {
        if (reply.errno() != Errno.ENOENT) { // The manager has it no more, or does not answer; otherwise it is held now, which is told.
          end(errno);
        }
      });
    }
  }

  LockClient(MetaClient client, EventReader events) {
    this.client = client;
    this.events = events;
  }

  /** Hears what becomes of locks at a manager that has started anew; before the client has asked for any. */
  void listenTo(LockLedger ledger) {
    ledger.listen(new LockLedger.Listener() {
      @Override
      public void lost(long inode, FileLock lock) {
        LOG.warn("a lock of file {} could not be claimed again: {}", inode, lock);
        if (lock.kind() != FileLock.APPEND) {
          lost.add(LockOwner.of(inode, lock));
        }
        lostCount.incrementAndGet();
        events.lockLost(inode, lock);
      }

      @Override
      public void over(long ticket, int errno) {
        Waiting asked = waiting.get(ticket);
        if (asked != null) {
          asked.end(errno);
        }
      }
    });
  }

  /** Whether an owner has lost a lock of a file, which it is told once. */
  private boolean hasLost(long inode, FileLock lock) {
    return !lost.isEmpty() && lost.remove(LockOwner.of(inode, lock));
  }

  /** Locks that could not be claimed at managers that had started anew. */
  public long lostCount() {
    return lostCount.get();
  }

  private synchronized void listen() {
    if (!isListening) {
      isListening = true;
      events.listen(new EventListener() {
        @Override
        public void onEvent(MetaEvent event) {
          Waiting lock = event.kind() == MetaEvent.Kind.LOCKED ? waiting.get(event.subject()) : null;
          if (lock != null) {
            lock.end(Errno.OK);
          }
        }
      });
    }
  }

  /**
   * Locks without waiting for others, or unlocks: OK, EAGAIN, ENOLCK, or why the manager does not answer. No interrupt ends it: what the manager has done is
   * known. A manager that has started anew answers when those have claimed their locks that had some. ENOLCK is told once, too, to an owner that has lost
   * a lock of the file since it has got it.
   */
  public int lock(long inode, FileLock lock) {
    boolean isLost = hasLost(inode, lock);
    int errno = Interrupts.putAside(() -> client.ask(request(MetaOp.LOCK, inode, isLost ? nothing(lock) : lock, 0)).errno());
    return isLost ? Errno.ENOLCK : errno;
  }

  /** The same, and does not keep this thread: {@code then} is told on the client's thread, and must not block. */
  public void lock(long inode, FileLock lock, IntConsumer then) {
    boolean isLost = hasLost(inode, lock);
    MetaRequest request = request(MetaOp.LOCK, inode, isLost ? nothing(lock) : lock, 0);
    if (!client.tryAsk(request, reply -> then.accept(isLost ? Errno.ENOLCK : reply.errno()))) {
      int errno = Interrupts.putAside(() -> client.ask(request).errno()); // As many as there may be are under way.
      then.accept(isLost ? Errno.ENOLCK : errno);
    }
  }

  /** Of who has lost some of it: what it has of the file still goes, too. */
  private static FileLock nothing(FileLock lock) {
    return FileLock.whole(lock.kind(), lock.owner(), FileLock.NONE, 0);
  }

  private static MetaRequest request(MetaOp op, long inode, FileLock lock, long ticket) {
    return MetaRequest.of(op, Caller.ROOT, inode, ticket).withValue(lock.encode());
  }

  /**
   * Locks, and waits for it, but does not keep this thread.
   *
   * @param then told once: OK, EDEADLK, ENOLCK, what it was cancelled with, or why the manager does not answer; on the client's thread, must not block
   * @return to cancel it
   */
  public Waiting await(long inode, FileLock lock, IntConsumer then) {
    Waiting asked = tryAwait(inode, lock, then);
    if (asked == null) {
      then.accept(client.isClosed() ? Errno.ESHUTDOWN : Errno.ENOLCK);
    }
    return asked == null ? new Waiting(0, then) : asked;
  }

  /** The same; null, and {@code then} is told nothing, where as many requests as may be are under way. */
  private Waiting tryAwait(long inode, FileLock lock, IntConsumer then) {
    listen();
    if (hasLost(inode, lock)) {
      then.accept(Errno.ENOLCK);
      return new Waiting(0, then);
    }
    Waiting asked = new Waiting(tickets.getAndIncrement(), then);
    waiting.put(asked.ticket, asked);
    boolean isAsked = client.tryAsk(request(MetaOp.LOCK, inode, lock, asked.ticket), reply -> {
      if (reply.errno() != Errno.EINPROGRESS) {
        asked.end(reply.errno());
      }
    });
    if (!isAsked) {
      waiting.remove(asked.ticket, asked);
    }
    return isAsked ? asked : null;
  }

  /** How a lock that a thread waits for has ended. */
  private static final class Outcome implements IntConsumer {
    private final Runnable whenUnwanted;
    private volatile int errno = Errno.EINPROGRESS;
    private boolean isGivenUp;

    private Outcome(Runnable whenUnwanted) {
      this.whenUnwanted = whenUnwanted;
    }

    @Override
    public void accept(int told) {
      boolean isUnwanted;
      synchronized (this) {
        errno = told;
        isUnwanted = isGivenUp && told == Errno.OK;
      }
      if (isUnwanted) {
        Thread.ofVirtual().start(whenUnwanted);
      }
    }

    private boolean isKnown() {
      return errno != Errno.EINPROGRESS;
    }

    /** The outcome; if it is not known, {@code otherwise}, and a lock that comes later is given back. */
    private synchronized int orGiveUp(int otherwise) {
      isGivenUp = !isKnown();
      return isGivenUp ? otherwise : errno;
    }
  }

  /**
   * Locks, and waits for it in this thread: as {@link #await}, or ETIMEDOUT after {@code max}, or EINTR if the thread was or is interrupted, and it stays so.
   * It is held if this is OK, and only then: also when the interrupt came and the lock a moment before.
   */
  public int await(long inode, FileLock lock, Duration max) {
    return await(inode, lock, max, () -> lock(inode, lock.of(FileLock.NONE)));
  }

  /** The same; {@code whenUnwanted} gives back a lock that comes after this has given up, a minute after it was cancelled, in a thread of its own. */
  public int await(long inode, FileLock lock, Duration max, Runnable whenUnwanted) {
    if (Thread.currentThread().isInterrupted()) {
      return Errno.EINTR;
    }
    Outcome outcome = new Outcome(whenUnwanted);
    AtomicReference<Waiting> taken = new AtomicReference<>();
    boolean isTaken = client.await(() -> {
      if (taken.get() == null && !client.isClosed()) {
        taken.set(tryAwait(inode, lock, outcome));
      }
      return taken.get() != null || client.isClosed();
    }, max);
    Waiting asked = taken.get();
    if (asked == null) {
      return isTaken ? Errno.ESHUTDOWN : Thread.currentThread().isInterrupted() ? Errno.EINTR : Errno.ETIMEDOUT;
    }
    if (client.await(outcome::isKnown, max)) {
      return outcome.errno;
    }
    int why = Thread.currentThread().isInterrupted() ? Errno.EINTR : Errno.ETIMEDOUT;
    asked.cancel(why);
    client.awaitToTheEnd(outcome::isKnown, CANCEL); // It is held, or not, by then.
    return outcome.orGiveUp(why);
  }

  /** Unlocks, and does not wait for that; {@code then} is told as in {@link #await}. */
  public void unlock(long inode, FileLock lock, IntConsumer then) {
    hasLost(inode, lock);
    lock(inode, lock.of(FileLock.NONE), then);
  }

  /** The reply to which lock is in the way: number 0, or the lock in the value; on the client's thread, must not block. */
  public void test(long inode, FileLock lock, Consumer<MetaReply> then) {
    MetaRequest request = request(MetaOp.LOCK_TEST, inode, lock, 0);
    if (!client.tryAsk(request, then)) {
      then.accept(client.ask(request));
    }
  }
}
