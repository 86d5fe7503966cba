package dev.weft.fabric.time;

import akka.actor.AbstractScheduler;
import akka.actor.Cancellable;
import akka.event.LoggingAdapter;
import com.typesafe.config.Config;
import java.io.Closeable;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadFactory;
import scala.concurrent.ExecutionContext;
import scala.concurrent.duration.FiniteDuration;

/** Akka's scheduler in virtual time: delays are events of the simulation. Named by configuration. */
public final class VirtualScheduler extends AbstractScheduler implements Closeable {
  private static final double MAX_FREQUENCY_HZ = 1e9;

  private final VirtualTime time;
  private final List<TaskRunOnClose> onClose = new ArrayList<>();

  /** Called by Akka. */
  public VirtualScheduler(Config config, LoggingAdapter log, ThreadFactory threads) {
    Config settings = config.getConfig("weft.virtual-time");
    int maxPending = settings.getInt("max-pending");
    if (maxPending < 64 || maxPending > 1 << 28) {
      throw new IllegalArgumentException(
          "weft.virtual-time.max-pending is " + maxPending + ", must be 64 to " + (1 << 28));
    }
    this.time = new VirtualTime(settings.getLong("seed"), maxPending);
  }

  VirtualTime time() {
    return time;
  }

  @Override
  @Deprecated
  public Cancellable schedule(
      FiniteDuration initialDelay, FiniteDuration interval, Runnable runnable, ExecutionContext executor) {
    return start(new Alarm(initialDelay.toNanos(), interval.toNanos(), runnable));
  }

  @Override
  public Cancellable scheduleOnce(FiniteDuration delay, Runnable runnable, ExecutionContext executor) {
    if (runnable instanceof TaskRunOnClose task) {
      // Akka shuts an unused dispatcher down after a second. In virtual time, that would only advance the clock.
      onClose.add(task);
      return Cancellable.alreadyCancelled();
    }
    return start(new Alarm(delay.toNanos(), 0, runnable));
  }

  @Override
  public double maxFrequency() {
    return MAX_FREQUENCY_HZ;
  }

  /** Runs the tasks that are meant for the end of the actor system. Pending delays never fire. */
  @Override
  public void close() {
    List<TaskRunOnClose> tasks = List.copyOf(onClose);
    onClose.clear();
    tasks.forEach(Runnable::run);
  }

  private Alarm start(Alarm alarm) {
    alarm.arm();
    return alarm;
  }

  /** A delay that can be cancelled. A cancelled one stays pending until its time and then does nothing. */
  private final class Alarm implements Cancellable, Runnable {
    private final long intervalNs;
    private long deadlineNs;
    private Runnable task;

    Alarm(long delayNs, long intervalNs, Runnable task) {
      this.deadlineNs = time.nowNs() + Math.max(0, delayNs);
      this.intervalNs = intervalNs;
      this.task = task;
    }

    void arm() {
      time.addEvent(deadlineNs, this, null);
    }

    @Override
    public void run() {
      Runnable due = task;
      if (due == null) {
        return;
      }
      if (intervalNs > 0) {
        deadlineNs += intervalNs;
        arm();
      } else {
        task = null;
      }
      due.run();
    }

    @Override
    public boolean cancel() {
      boolean pending = task != null;
      task = null;
      return pending;
    }

    @Override
    public boolean isCancelled() {
      return task == null;
    }
  }
}
