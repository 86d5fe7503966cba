package dev.weft.hca.device;

import dev.weft.hca.verbs.AsyncEvent;
import dev.weft.hca.verbs.Hca;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.atomic.AtomicReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The asynchronous events that the consumer has not fetched. The queue is bounded: further events are counted and dropped. Any thread. */
final class AsyncEventQueue {
  private static final Logger LOG = LoggerFactory.getLogger(AsyncEventQueue.class);

  private final ArrayBlockingQueue<AsyncEvent> queue;
  private final AtomicReference<Runnable> armed = new AtomicReference<>();
  private volatile long lost;

  AsyncEventQueue(int capacity) {
    queue = new ArrayBlockingQueue<>(capacity);
  }

  /** Adds an event and calls the armed handler; an exception of the handler does not stop the hardware. Hardware thread. */
  void add(AsyncEvent event) {
    if (!queue.offer(event)) {
      lost = lost + 1;
    }
    Runnable handler = armed.get() == null ? null : armed.getAndSet(null);
    if (handler != null) {
      try {
        handler.run();
      } catch (RuntimeException e) {
        LOG.error("the handler of asynchronous events failed at {}", event, e);
      }
    }
  }

  /** See {@link Hca#armAsyncEvents}. */
  boolean arm(Runnable handler) {
    armed.set(handler);
    return !queue.isEmpty();
  }

  AsyncEvent poll() {
    return queue.poll();
  }

  long lost() {
    return lost;
  }
}
