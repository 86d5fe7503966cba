package dev.weft.fabric.dispatch;

import akka.actor.typed.ActorRef;
import dev.weft.fabric.time.EventHeap;
import dev.weft.fabric.time.RealClock;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BooleanSupplier;
import org.agrona.concurrent.ManyToOneConcurrentArrayQueue;

/**
 * Runs duty cycles: local tasks, pollers, tasks of other threads, timers, each in a bounded batch. Everything here except
 * the foreign queue belongs to the thread that owns the dispatcher.
 */
final class DutyCycle {
  private final HardwareDispatcherSettings settings;
  private final ArrayDeque<Runnable> local = new ArrayDeque<>();
  private final EventHeap timers;
  private final ManyToOneConcurrentArrayQueue<Runnable> foreign;
  private Poller[] pollers = {};

  private long tasksRun;
  private long polls;
  private long timersFired;
  private int localHighWater;
  private int foreignHighWater;
  private boolean interrupted;

  DutyCycle(HardwareDispatcherSettings settings) {
    this.settings = settings;
    this.timers = new EventHeap(settings.maxTimers());
    this.foreign = new ManyToOneConcurrentArrayQueue<>(settings.foreignQueueCapacity());
  }

  /** Queues a task of another thread. Returns false if the queue is full. Any thread. */
  boolean offerForeign(Runnable task) {
    return foreign.offer(task);
  }

  /**
   * Queues a task of another thread when there is room, which {@code wake} and other threads make. Any thread.
   *
   * @throws RejectedExecutionException if the queue stays full for the configured time, or once {@code ended} holds
   */
  void awaitRoom(Runnable task, BooleanSupplier ended, Runnable wake) {
    long startNs = RealClock.INSTANCE.nowNs();
    do {
      if (RealClock.INSTANCE.nowNs() - startNs >= settings.foreignQueueFullWaitNs() || ended.getAsBoolean()) {
        throw new RejectedExecutionException(
            "the hardware dispatcher's queue of foreign-queue-capacity = " + settings.foreignQueueCapacity()
                + " tasks stayed full for foreign-queue-full-wait = " + settings.foreignQueueFullWaitNs() + " ns");
      }
      wake.run();
      Thread.yield();
    } while (!foreign.offer(task));
  }

  /** Any thread. */
  boolean hasForeign() {
    return !foreign.isEmpty();
  }

  void addLocal(Runnable task) {
    if (local.size() >= settings.localQueueMax()) {
      throw new RejectedExecutionException(
          "the hardware dispatcher already holds local-queue-max = " + settings.localQueueMax() + " local tasks");
    }
    local.addLast(task);
  }

  void addTimer(long deadlineNs, ActorRef<?> receiver, Object message) {
    timers.add(deadlineNs, receiver, message);
  }

  void addPoller(Poller poller) {
    Poller[] more = Arrays.copyOf(pollers, pollers.length + 1);
    more[pollers.length] = poller;
    pollers = more;
  }

  void removePoller(Poller poller) {
    pollers = Arrays.stream(pollers).filter(p -> p != poller).toArray(Poller[]::new);
  }

  boolean hasLocal() {
    return !local.isEmpty();
  }

  /** Whether a poller looks for work that does not ring the bell. */
  boolean mustPoll() {
    for (Poller poller : pollers) {
      if (!poller.isRung()) {
        return true;
      }
    }
    return false;
  }

  /** Returns the nanoseconds from {@code nowNs} to the earliest timer, at most {@code limitNs}; may be negative. */
  long nsToNextTimer(long nowNs, long limitNs) {
    return timers.isEmpty() ? limitNs : Math.min(limitNs, timers.headDeadlineNs() - nowNs);
  }

  /** Runs one cycle. Returns how many tasks, timers and pieces of polled work it handled. */
  int run() {
    int work = runLocal();
    for (Poller poller : pollers) {
      work += poll(poller);
    }
    return work + runForeign() + fireTimers();
  }

  private int runLocal() {
    int size = local.size();
    if (size > localHighWater) {
      localHighWater = size;
    }
    int count = 0;
    Runnable task;
    while (count < settings.localBatch() && (task = local.pollFirst()) != null) {
      count++;
      runTask(task);
    }
    tasksRun += count;
    return count;
  }

  private int poll(Poller poller) {
    polls++;
    try {
      return poller.poll();
    } catch (Throwable e) {
      report(e);
      return 0;
    }
  }

  private int runForeign() {
    int size = foreign.size();
    if (size == 0) {
      return 0;
    }
    if (size > foreignHighWater) {
      foreignHighWater = size;
    }
    int count = 0;
    Runnable task;
    while (count < settings.foreignBatch() && (task = foreign.poll()) != null) {
      count++;
      runTask(task);
    }
    tasksRun += count;
    return count;
  }

  private int fireTimers() {
    if (timers.isEmpty()) {
      return 0;
    }
    long nowNs = RealClock.INSTANCE.nowNs();
    int count = 0;
    while (count < settings.timerBatch() && !timers.isEmpty() && timers.headDeadlineNs() - nowNs <= 0) {
      count++;
      fireHead();
    }
    timersFired += count;
    return count;
  }

  @SuppressWarnings("unchecked") // Timers.at has checked that the types of the pair match.
  private void fireHead() {
    ActorRef<Object> receiver = (ActorRef<Object>) timers.headTarget();
    Object message = timers.headArgument();
    timers.removeHead();
    receiver.tell(message);
  }

  private void runTask(Runnable task) {
    try {
      task.run();
    } catch (Throwable e) {
      if (e instanceof InterruptedException) {
        interrupted = true; // Akka's mailboxes clear the interrupt status of their thread after a message.
      } else {
        report(e);
      }
    }
  }

  /** Returns and resets whether the thread that ran cycles was interrupted meanwhile. Its own interrupt status has been cleared. */
  boolean takeInterrupted() {
    boolean was = interrupted;
    interrupted = false;
    return was;
  }

  /** Reports the failure of a task or poller as an uncaught exception of the thread. It does not end the hardware thread. */
  private static void report(Throwable e) {
    Thread current = Thread.currentThread();
    current.getUncaughtExceptionHandler().uncaughtException(current, e);
  }

  HardwareDispatcherStats stats(long parks, long helpedNs) {
    return new HardwareDispatcherStats(
        tasksRun, polls, timersFired, parks, helpedNs, localHighWater, foreignHighWater);
  }
}
