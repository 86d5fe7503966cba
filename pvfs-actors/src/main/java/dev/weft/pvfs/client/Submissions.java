package dev.weft.pvfs.client;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.agrona.concurrent.ManyToOneConcurrentArrayQueue;

/** Tasks on their way from any thread to the client's, and how many of them there may be. */
final class Submissions {
  private final ManyToOneConcurrentArrayQueue<IoTask> queue;
  private final int tasksMax;
  private final AtomicInteger tasks = new AtomicInteger();
  private final AtomicBoolean rung = new AtomicBoolean();

  Submissions(int tasksMax) {
    this.tasksMax = tasksMax;
    this.queue = new ManyToOneConcurrentArrayQueue<>(tasksMax);
  }

  /** False if there are as many as there may be. */
  boolean offer(IoTask task) {
    if (tasks.incrementAndGet() > tasksMax || !queue.offer(task)) {
      tasks.decrementAndGet();
      return false;
    }
    return true;
  }

  /** True for the one who has to ring: nobody has since the client's thread looked. */
  boolean mustRing() {
    return rung.compareAndSet(false, true);
  }

  /** The client's thread: from here on it must be rung for again. */
  void looked() {
    rung.set(false);
  }

  /** Null if there is none. */
  IoTask poll() {
    return queue.poll();
  }

  /** After the client's thread has looked for the last time: ends all that are here. Any thread. */
  synchronized void failAll(int errno) {
    for (IoTask task = queue.poll(); task != null; task = queue.poll()) {
      task.fail(errno);
      task.finish();
    }
  }

  /** A task is over. */
  void over() {
    tasks.decrementAndGet();
  }
}
