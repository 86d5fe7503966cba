package dev.weft.lab.seed004;

import dev.weft.fabric.time.Clock;
import dev.weft.hca.sync.McsLock;
import dev.weft.hca.sync.SyncClient;
import dev.weft.hca.sync.SyncHome.Kind;
import java.util.concurrent.CompletableFuture;

/**
 * Two clients that hand two locks to each other, so that one clock measures: each holds one and waits for the other's. One gives its lock
 * away; the partner, who gets it, gives its own away at once; that is two hand-overs, each with a waiter in the queue. In the receive
 * contexts of the clients.
 */
final class HandOver {
  static final Kind[] KINDS = {Kind.MUTEX, Kind.MUTEX, Kind.MUTEX};
  static final int OBJECTS = KINDS.length;
  /** Nobody contends for this one. */
  private static final int FREE = 2;

  private final Clock clock;
  private final McsLock free;
  private final long[] pairs;
  private final long[] entries;
  private final CompletableFuture<HandOver> end = new CompletableFuture<>();
  private int round;
  private long startNs;

  private HandOver(SyncClient client, Clock clock, int rounds) {
    this.clock = clock;
    free = new McsLock(client, FREE);
    pairs = new long[rounds];
    entries = new long[rounds];
  }

  /** Takes part until the home is gone. */
  static void partner(SyncClient client) {
    McsLock held = new McsLock(client, 1);
    McsLock wanted = new McsLock(client, 0);
    client.run(() -> held.acquire(done -> takePart(done, held, wanted)));
  }

  private static void takePart(boolean goOn, McsLock held, McsLock wanted) {
    if (goOn) {
      wanted.acquire(done -> {
        if (done) {
          held.release(released -> takePart(released, wanted, held));
        }
      });
    }
  }

  /** Measures against a partner; completed exceptionally if the home is lost. */
  static CompletableFuture<HandOver> measure(SyncClient client, Clock clock, int rounds) {
    HandOver run = new HandOver(client, clock, rounds);
    McsLock one = new McsLock(client, 0);
    McsLock other = new McsLock(client, 1);
    client.run(() -> run.enterFree(() -> one.acquire(done -> run.pass(done, one, other))));
    return run.end;
  }

  private boolean lost(boolean done) {
    if (!done) {
      end.completeExceptionally(new IllegalStateException("the home of the locks was lost in round " + round));
    }
    return !done;
  }

  private void enterFree(Runnable then) {
    if (round == entries.length) {
      round = 0;
      then.run();
      return;
    }
    long beganNs = clock.nowNs();
    free.acquire(done -> {
      entries[round++] = clock.nowNs() - beganNs;
      free.release(released -> {
        if (!lost(done && released)) {
          enterFree(then);
        }
      });
    });
  }

  private void pass(boolean goOn, McsLock held, McsLock wanted) {
    if (lost(goOn)) {
      return;
    }
    if (round == pairs.length) {
      held.release(released -> end.complete(this));
      return;
    }
    startNs = 0;
    // The partner waits for what is held here; when this one waits for the partner's, too, the exchange can begin.
    held.whenAwaited(() -> wanted.acquire(() -> {
      startNs = clock.nowNs();
      held.release(released -> {});
    }, done -> {
      if (startNs != 0) {
        pairs[round++] = clock.nowNs() - startNs;
        pass(done, wanted, held);
      } else {
        held.release(released -> pass(released, wanted, held)); // It was free: the partner has only begun.
      }
    }));
  }

  /** Nanoseconds of each pair of hand-overs. */
  long[] pairs() {
    return pairs;
  }

  /** Nanoseconds of each entry into a free lock. */
  long[] entries() {
    return entries;
  }
}
