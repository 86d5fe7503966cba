package dev.weft.hca.sync;

import dev.weft.hca.verbs.WcStatus;

/**
 * A counting semaphore (NetVM, abstract): one atomic for down and one for up. If no unit is free, the client waits; the home's HCA notifies the waiting
 * clients by one write each, in the order of their atomics. One operation at a time.
 */
public final class CountingSemaphore {
  private final SyncClient client;
  private final int object;

  /** Creates a handle to the semaphore with the number {@code object}. */
  public CountingSemaphore(SyncClient client, int object) {
    this.client = client;
    this.object = object;
  }

  /** Takes a unit; waits if none is free. */
  public void down(Ended ended) {
    long seen = client.counters().value(object);
    client.fetchAndAdd(object, -1, (original, status) -> {
      if (status != WcStatus.SUCCESS) {
        ended.ended(false);
      } else if (original > 0) {
        ended.ended(true);
      } else {
        client.await(object, seen, () -> ended.ended(client.counters().value(object) > seen));
      }
    });
  }

  /** Returns a unit. */
  public void up(Ended ended) {
    client.fetchAndAdd(object, 1, (original, status) -> ended.ended(status == WcStatus.SUCCESS));
  }
}
