package dev.weft.hca.sync;

import dev.weft.hca.verbs.WcStatus;

/**
 * A lock after Mellor-Crummey and Scott (NetVM, abstract). A word at the home names the last client in the queue. A client enters the queue by
 * compare-and-swap and notifies its predecessor, which later hands the lock over by one write. No client polls over the network. Without contention,
 * acquire and release take one atomic each. One operation at a time.
 */
public final class McsLock {
  /** Represents the home in place of a client number. */
  static final int HOME = 0xffff;
  private static final int TICKET_MASK = 0xffffff;

  private final SyncClient client;
  private final int object;
  private int ticket;
  private boolean held;

  /** Creates a handle to the lock with the number {@code object}, which is a mutex at the home. */
  public McsLock(SyncClient client, int object) {
    this.client = client;
    this.object = object;
  }

  /** Returns the lock's word if that client is the last in the queue. */
  static long word(int client, int ticket) {
    return (long) client << 32 | ticket;
  }

  static int client(long word) {
    return (int) (word >>> 32);
  }

  static int ticket(long word) {
    return (int) word;
  }

  /** Returns the word that tells the client with ticket {@code to} its successor: {@code client} with {@code ticket}. */
  static long next(int to, int client, int ticket) {
    return (long) to << 40 | (long) client << 24 | ticket;
  }

  private static int nextTo(long next) {
    return (int) (next >>> 40);
  }

  private static int nextClient(long next) {
    return (int) (next >>> 24) & 0xffff;
  }

  /** Acquires the lock; calls {@code ended} when this client holds it. */
  public void acquire(Ended ended) {
    acquire(() -> {}, ended);
  }

  /** Like {@link #acquire(Ended)}; if the lock is taken, also calls {@code queued} when this client has its place in the queue. */
  public void acquire(Runnable queued, Ended ended) {
    if (held) {
      throw new IllegalStateException("client " + client.id() + " holds lock " + object + " already");
    }
    ticket = ticket == TICKET_MASK ? 1 : ticket + 1;
    enter(0, queued, ended);
  }

  private void enter(long expected, Runnable queued, Ended ended) {
    client.compareAndSwap(object, expected, word(client.id(), ticket), (original, status) -> {
      if (status != WcStatus.SUCCESS) {
        ended.ended(false);
      } else if (original != expected) {
        enter(original, queued, ended);
      } else if (expected == 0) {
        hold(ended);
      } else {
        client.tell(client(expected), SyncClient.nextOffset(object), next(ticket(expected), client.id(), ticket), object);
        queued.run();
        awaitGrant(ended);
      }
    });
  }

  private void hold(Ended ended) {
    held = true;
    ended.ended(true);
  }

  private void awaitGrant(Ended ended) {
    long seen = client.counters().value(object);
    if (client.grant(object) == ticket) {
      hold(ended);
    } else if (client.counters().failure() != null) {
      ended.ended(false);
    } else {
      client.await(object, seen, () -> awaitGrant(ended));
    }
  }

  /** Releases the lock; calls {@code ended} when another client may have it. */
  public void release(Ended ended) {
    if (!held) {
      throw new IllegalStateException("client " + client.id() + " does not hold lock " + object);
    }
    held = false;
    if (nextTo(client.next(object)) == ticket) {
      handOver(ended);
      return;
    }
    long mine = word(client.id(), ticket);
    client.compareAndSwap(object, mine, 0, (original, status) -> {
      if (status != WcStatus.SUCCESS) {
        ended.ended(false);
      } else if (original == mine) {
        ended.ended(true);
      } else {
        awaitNext(ended);
      }
    });
  }

  private void awaitNext(Ended ended) {
    long seen = client.counters().value(object);
    if (nextTo(client.next(object)) == ticket) {
      handOver(ended);
    } else if (client.counters().failure() != null) {
      ended.ended(false);
    } else {
      client.await(object, seen, () -> awaitNext(ended));
    }
  }

  private void handOver(Ended ended) {
    long next = client.next(object);
    if (nextClient(next) != HOME) {
      client.tell(nextClient(next), SyncClient.grantOffset(object), next & TICKET_MASK, object);
    }
    client.note(object);
    ended.ended(true);
  }

  /** Calls {@code then} when this client, which holds the lock, knows of a waiting successor, or when the home is lost. */
  public void whenAwaited(Runnable then) {
    long seen = client.counters().value(object);
    if (nextTo(client.next(object)) == ticket || client.counters().failure() != null) {
      then.run();
    } else {
      client.await(object, seen, () -> whenAwaited(then));
    }
  }

  public boolean isHeld() {
    return held;
  }
}
