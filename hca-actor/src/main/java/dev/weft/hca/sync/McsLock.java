package dev.weft.hca.sync;

import dev.weft.hca.verbs.WcStatus;

/**
 * Mutual exclusion after Mellor-Crummey and Scott (seed 004, abstract): the word at the home names the last in the queue; who enters it
 * swaps itself in with compare-and-swap and tells the one before it, which hands the lock over by one write. Nobody polls over the
 * network. Free: one atomic to enter, one to leave. One operation at a time.
 */
public final class McsLock {
  /** Stands for the home where a client is named. */
  static final int HOME = 0xffff;
  private static final int TICKET_MASK = 0xffffff;

  private final SyncClient client;
  private final int object;
  private int ticket;
  private boolean held;

  /** The lock of that number, which is a mutex at the home. */
  public McsLock(SyncClient client, int object) {
    this.client = client;
    this.object = object;
  }

  /** The lock's word when that client is the last in its queue. */
  static long word(int client, int ticket) {
    return (long) client << 32 | ticket;
  }

  static int client(long word) {
    return (int) (word >>> 32);
  }

  static int ticket(long word) {
    return (int) word;
  }

  /** What is told to a client whose ticket is {@code to}: the next one is {@code client} with {@code ticket}. */
  static long next(int to, int client, int ticket) {
    return (long) to << 40 | (long) client << 24 | ticket;
  }

  private static int nextTo(long next) {
    return (int) (next >>> 40);
  }

  private static int nextClient(long next) {
    return (int) (next >>> 24) & 0xffff;
  }

  /** Enters; {@code ended} is called when the lock is held. */
  public void acquire(Ended ended) {
    acquire(() -> {}, ended);
  }

  /** The same; {@code queued} is called if somebody holds the lock, when this one's turn after it is certain. */
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

  /** Leaves; {@code ended} is called when another may enter. */
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

  /** Calls {@code then} when this client holds the lock and knows of another that waits, or when the home is gone. */
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
