package dev.weft.lab.trials.dsm.local;

import dev.weft.dsm.DsmCondition;
import java.time.Duration;
import java.util.ArrayDeque;

/** A condition variable of a {@link LocalLock}, which guards its queue. */
final class LocalCondition implements DsmCondition {
  private final LocalLock lock;
  private final ArrayDeque<Object> queue = new ArrayDeque<>();

  LocalCondition(LocalLock lock) {
    this.lock = lock;
  }

  LocalLock lock() {
    return lock;
  }

  ArrayDeque<Object> queue() {
    return queue;
  }

  @Override
  public void await() {
    lock.await(queue, Long.MAX_VALUE);
  }

  @Override
  public boolean await(Duration max) {
    return lock.await(queue, LocalLock.nanos(max));
  }

  @Override
  public void signal() {
    lock.signal(queue, 1);
  }

  @Override
  public void signalAll() {
    lock.signal(queue, Integer.MAX_VALUE);
  }
}
