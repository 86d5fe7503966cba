package dev.weft.hca;

import java.util.concurrent.ArrayBlockingQueue;

/** Asynchronous events that nobody has fetched yet. Bounded: further ones are counted and lost. Any thread. */
final class AsyncEventQueue {
  private final ArrayBlockingQueue<AsyncEvent> queue;
  private volatile long lost;

  AsyncEventQueue(int capacity) {
    queue = new ArrayBlockingQueue<>(capacity);
  }

  /** Hardware thread. */
  void add(AsyncEvent event) {
    if (!queue.offer(event)) {
      lost = lost + 1;
    }
  }

  AsyncEvent poll() {
    return queue.poll();
  }

  long lost() {
    return lost;
  }
}
