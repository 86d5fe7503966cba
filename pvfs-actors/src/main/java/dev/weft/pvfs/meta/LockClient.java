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

/** Locks files at the manager. A waiting lock holds no thread. Any thread. */
public final class LockClient {
  private static final Logger LOG = LoggerFactory.getLogger(LockClient.class);
  private static final Duration CANCEL = Duration.ofSeconds(60);

  private final MetaClient client;
  private final EventReader events;
  private final Map<Long, Waiting> waiting = new ConcurrentHashMap<>();
  private final AtomicLong tickets = new AtomicLong(1);
  /** Owners that have lost a lock and have not been told yet. Bound: the owners of this client. */
  private final Set<LockOwner> lost = ConcurrentHashMap.newKeySet();
  private final AtomicLong lostCount = new AtomicLong();
  private boolean isListening;

  /** A requested lock without an answer; it is answered once. */
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

    /** Cancels the wait, which ends with {@code errno}, unless the lock is held already; then it ends with that result. */
    public void cancel(int errno) {
      MetaRequest request = MetaRequest.of(MetaOp.LOCK_CANCEL, Caller.ROOT, 0, ticket);
      client.askSurely(request, reply -> {
        if (reply.errno() != Errno.ENOENT) { // The manager no longer has it, or does not answer; otherwise the lock is now held, and its event reports that.
          end(errno);
        }
      });
    }
  }

  LockClient(MetaClient client, EventReader events) {
    this.client = client;
    this.events = events;
  }

  /** Begins to hear about locks at a restarted manager; call it before the client has requested any lock. */
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

  /** Whether an owner has lost a lock of a file; returns true once. */
  private boolean hasLost(long inode, FileLock lock) {
    return !lost.isEmpty() && lost.remove(LockOwner.of(inode, lock));
  }

  /** Returns the number of locks that could not be claimed at restarted managers. */
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
   * Locks without waiting for other owners, or unlocks. Returns OK, EAGAIN, ENOLCK, or the reason why the manager does not answer. An interrupt does
   * not end it, so the outcome is known. A restarted manager answers when all former holders have claimed their locks. ENOLCK is also returned, once,
   * to an owner that has lost a lock of the file.
   */
  public int lock(long inode, FileLock lock) {
    boolean isLost = hasLost(inode, lock);
    int errno = Interrupts.putAside(() -> client.ask(request(MetaOp.LOCK, inode, isLost ? nothing(lock) : lock, 0)).errno());
    return isLost ? Errno.ENOLCK : errno;
  }

  /** As above, without keeping this thread: {@code then} gets the result on the client's thread, and must not block. */
  public void lock(long inode, FileLock lock, IntConsumer then) {
    boolean isLost = hasLost(inode, lock);
    MetaRequest request = request(MetaOp.LOCK, inode, isLost ? nothing(lock) : lock, 0);
    if (!client.tryAsk(request, reply -> then.accept(isLost ? Errno.ENOLCK : reply.errno()))) {
      int errno = Interrupts.putAside(() -> client.ask(request).errno()); // The maximum number of requests is under way.
      then.accept(isLost ? Errno.ENOLCK : errno);
    }
  }

  /** For an owner that has lost a lock: unlocks all that it still holds of the file. */
  private static FileLock nothing(FileLock lock) {
    return FileLock.whole(lock.kind(), lock.owner(), FileLock.NONE, 0);
  }

  private static MetaRequest request(MetaOp op, long inode, FileLock lock, long ticket) {
    return MetaRequest.of(op, Caller.ROOT, inode, ticket).withValue(lock.encode());
  }

  /**
   * Locks, and waits for the lock without keeping this thread.
   *
   * @param then gets the result once: OK, EDEADLK, ENOLCK, the errno of a cancel, or the reason why the manager does not answer; on the client's
   *     thread, must not block
   * @return the handle to cancel it
   */
  public Waiting await(long inode, FileLock lock, IntConsumer then) {
    Waiting asked = tryAwait(inode, lock, then);
    if (asked == null) {
      then.accept(client.isClosed() ? Errno.ESHUTDOWN : Errno.ENOLCK);
    }
    return asked == null ? new Waiting(0, then) : asked;
  }

  /** As above; returns null, without calling {@code then}, if the maximum number of requests is under way. */
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

  /** The outcome of a lock that a thread waits for. */
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

    /** Returns the outcome. If it is unknown, returns {@code otherwise}, and a lock that comes later is given back. */
    private synchronized int orGiveUp(int otherwise) {
      isGivenUp = !isKnown();
      return isGivenUp ? otherwise : errno;
    }
  }

  /**
   * Locks, and waits in this thread: as {@link #await}, or ETIMEDOUT after {@code max}, or EINTR if the thread was or is interrupted, and it stays
   * so. The lock is held if and only if this returns OK, also if an interrupt and the lock come together.
   */
  public int await(long inode, FileLock lock, Duration max) {
    return await(inode, lock, max, () -> lock(inode, lock.of(FileLock.NONE)));
  }

  /**
   * As above. After a cancel, this waits at most one minute for the outcome. If the lock comes later, {@code whenUnwanted} gives it back, on a separate
   * thread.
   */
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
    client.awaitToTheEnd(outcome::isKnown, CANCEL); // By then it is known whether the lock is held.
    return outcome.orGiveUp(why);
  }

  /** Unlocks without waiting; {@code then} gets the result as in {@link #await}. */
  public void unlock(long inode, FileLock lock, IntConsumer then) {
    hasLost(inode, lock);
    lock(inode, lock.of(FileLock.NONE), then);
  }

  /** Asks which lock conflicts: {@code then} gets the reply, with number 0, or with the lock as its value. On the client's thread, must not block. */
  public void test(long inode, FileLock lock, Consumer<MetaReply> then) {
    MetaRequest request = request(MetaOp.LOCK_TEST, inode, lock, 0);
    if (!client.tryAsk(request, then)) {
      then.accept(client.ask(request));
    }
  }
}
