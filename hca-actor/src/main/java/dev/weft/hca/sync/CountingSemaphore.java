package dev.weft.hca.sync;

import dev.weft.hca.verbs.WcStatus;

/**
 * A counting semaphore (seed 004, abstract): one atomic to go down and one to go up. Who finds no unit is told by one write of the home's
 * HCA when its turn has come, in the order of the atomics. One operation at a time.
 */
public final class CountingSemaphore {
  private final SyncClient client;
  private final int object;

  /** The semaphore of that number. */
  public CountingSemaphore(SyncClient client, int object) {
    this.client = client;
    this.object = object;
  }

  /** Takes a unit, waiting for it if there is none. */
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

  /** Gives a unit. */
  public void up(Ended ended) {
    client.fetchAndAdd(object, 1, (original, status) -> ended.ended(status == WcStatus.SUCCESS));
  }
}
