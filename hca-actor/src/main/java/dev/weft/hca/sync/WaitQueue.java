package dev.weft.hca.sync;

import dev.weft.hca.verbs.WcStatus;
import java.util.function.LongConsumer;

/**
 * A queue of clients that wait until another client wakes them, first come, first served (NetVM, abstract). A wake-up without a waiting client is lost.
 * One operation at a time.
 */
public final class WaitQueue {
  private static final int ALL = 0xffff;

  private final SyncClient client;
  private final int object;

  /** Creates a handle to the wait queue with the number {@code object}. */
  public WaitQueue(SyncClient client, int object) {
    this.client = client;
    this.object = object;
  }

  /** Waits until another client wakes this one. */
  public void await(Ended ended) {
    long seen = client.counters().value(object);
    client.fetchAndAdd(object, 1, (original, status) -> {
      if (status != WcStatus.SUCCESS) {
        ended.ended(false);
      } else {
        client.await(object, seen, () -> ended.ended(client.counters().value(object) > seen));
      }
    });
  }

  /** Wakes up to {@code count} clients; {@code woken} receives their number, or -1 if the home is lost. */
  public void wake(int count, LongConsumer woken) {
    client.fetchAndAdd(object, (long) count << 32,
        (original, status) -> woken.accept(status == WcStatus.SUCCESS ? Math.min(count, original & 0xffffffffL) : -1));
  }

  /** Wakes all waiting clients; {@code woken} as above. */
  public void wakeAll(LongConsumer woken) {
    wake(ALL, woken);
  }
}
