package dev.weft.hca.sync;

import dev.weft.hca.verbs.WcStatus;
import java.util.function.LongConsumer;

/**
 * Clients that wait until another wakes them, first come first (seed 004, abstract); waking nobody is not remembered. One operation at a
 * time.
 */
public final class WaitQueue {
  private static final int ALL = 0xffff;

  private final SyncClient client;
  private final int object;

  /** The wait queue of that number. */
  public WaitQueue(SyncClient client, int object) {
    this.client = client;
    this.object = object;
  }

  /** Waits. */
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

  /** Wakes up to {@code count} clients; {@code woken} is told how many, -1 if the home is gone. */
  public void wake(int count, LongConsumer woken) {
    client.fetchAndAdd(object, (long) count << 32,
        (original, status) -> woken.accept(status == WcStatus.SUCCESS ? Math.min(count, original & 0xffffffffL) : -1));
  }

  /** Wakes all. */
  public void wakeAll(LongConsumer woken) {
    wake(ALL, woken);
  }
}
