package dev.weft.fabric.time;

import java.util.Arrays;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * One application thread in virtual time; see {@link AppThreads}. Its code takes no virtual time until it charges for it ({@link
 * #compute}) or waits ({@link #park}). The thread itself calls its methods. The holder of the baton calls {@link #unpark}: another
 * application thread, an actor, or the thread that runs the simulation.
 */
public final class AppThread {
  /** Thrown in a thread that is closed before its code has returned. */
  @SuppressWarnings("serial")
  private static final class Cancelled extends Error {
    Cancelled(String name) {
      super("application thread " + name + " was closed", null, false, false);
    }
  }

  private static final ThreadLocal<AppThread> CURRENT = new ThreadLocal<>();
  /** A wait checks its condition again after one {@code LOOK_PART}th of the time that it has taken, within these limits. */
  private static final int LOOK_PART = 16;
  private static final long LOOK_MIN_NS = 1_000;
  private static final long LOOK_MAX_NS = 10_000_000;

  private final VirtualTime time;
  private final String name;
  /** Runs the code on the simulation's thread; null if this JVM does not allow that, so that the code runs on a platform thread. */
  private final CarriedThread carried;
  private final Thread thread;
  private final Runnable resume = this::resume;
  /** Whether it is this thread's turn. Writing it hands over all other fields. */
  private volatile boolean isOurTurn;
  private Thread loop;
  private boolean daemon;
  private boolean cancelled;
  private boolean done;
  private boolean permit;
  private boolean parked;
  private boolean stopped;
  /** Whether the thread would have run while it was stopped. */
  private boolean isDue;
  /** How often the thread has parked, so that an alarm of an earlier park has no effect. */
  private long parks;
  private Throwable failure;
  private long computedNs;

  AppThread(VirtualTime time, String name, Consumer<AppThread> body, boolean isCarried) {
    this.time = time;
    this.name = name;
    Runnable running = () -> run(body);
    carried = isCarried ? new CarriedThread("app-" + name, running) : null;
    thread = carried != null ? carried.thread() : Thread.ofPlatform().name("app-" + name).daemon(true).unstarted(running);
  }

  void begin() {
    time.addEvent(time.nowNs(), resume, null);
  }

  /** Makes this a thread that serves others: the run does not wait for its end. Returns this thread. */
  public AppThread asDaemon() {
    daemon = true;
    return this;
  }

  boolean isDaemon() {
    return daemon;
  }

  /** Whether its code has returned. */
  public boolean isDone() {
    return done;
  }

  /** Returns the calling application thread; null if the caller is not one. */
  public static AppThread current() {
    return CURRENT.get();
  }

  /** Returns the virtual time in nanoseconds. */
  public long nowNs() {
    return time.nowNs();
  }

  /** Returns the nanoseconds charged so far. */
  public long computedNs() {
    return computedNs;
  }

  /** Lets {@code ns} of virtual time pass for this thread; others run meanwhile. 0 lets others of this nanosecond run. */
  public void compute(long ns) {
    requireOwn();
    if (ns < 0) {
      throw new IllegalArgumentException("compute time of " + ns + " ns is negative");
    }
    computedNs += ns;
    time.addEvent(time.nowNs() + ns, resume, null);
    giveBack();
  }

  /**
   * Computes until {@code seen} is true. It is evaluated now and every {@code lookNs} from now, on the simulation's thread. This has the effect
   * of a loop that checks and calls {@link #compute}, without handing the baton over for each check.
   */
  public void spin(long lookNs, BooleanSupplier seen) {
    requireOwn();
    if (lookNs < 1) {
      throw new IllegalArgumentException("a look every " + lookNs + " ns, must be 1 or more");
    }
    if (!seen.getAsBoolean()) {
      long startNs = time.nowNs();
      lookLater(lookNs, seen);
      giveBack();
      computedNs += time.nowNs() - startNs;
    }
  }

  private void lookLater(long lookNs, BooleanSupplier seen) {
    time.addEvent(time.nowNs() + lookNs, (Runnable) () -> {
      if (done || seen.getAsBoolean()) {
        resume();
      } else {
        lookLater(lookNs, seen);
      }
    }, null);
  }

  /**
   * Waits until {@code until} holds. It is evaluated now, and then on the simulation's thread: first after 1 us, less often the longer the wait lasts,
   * at least once in 10 ms. Charges nothing.
   *
   * @return whether it holds; false after {@code maxNs}
   */
  public boolean await(BooleanSupplier until, long maxNs) {
    requireOwn();
    if (maxNs > 0 && !until.getAsBoolean()) {
      lookAgain(until, time.nowNs(), maxNs);
      giveBack();
    }
    return until.getAsBoolean();
  }

  private void lookAgain(BooleanSupplier until, long startNs, long maxNs) {
    long waitedNs = time.nowNs() - startNs;
    long lookNs = Math.min(Math.clamp(waitedNs / LOOK_PART, LOOK_MIN_NS, LOOK_MAX_NS), maxNs - waitedNs);
    time.addEvent(time.nowNs() + lookNs, (Runnable) () -> {
      if (done || time.nowNs() - startNs >= maxNs || until.getAsBoolean()) {
        resume();
      } else {
        lookAgain(until, startNs, maxNs);
      }
    }, null);
  }

  /** Stops the thread until {@link #goOn}, as SIGSTOP does, from its next wait or computation on. The holder of the baton calls this. */
  public void stop() {
    stopped = true;
  }

  /** Ends {@link #stop}. The thread runs immediately if it would have run meanwhile. */
  public void goOn() {
    stopped = false;
    if (isDue) {
      isDue = false;
      time.addEvent(time.nowNs(), resume, null);
    }
  }

  /** Waits for {@link #unpark}; returns immediately if that came before. */
  public void park() {
    requireOwn();
    if (permit) {
      permit = false;
      return;
    }
    parked = true;
    parks++;
    giveBack();
  }

  /** Does the same for at most {@code maxNs}. */
  public void park(long maxNs) {
    requireOwn();
    if (!permit) {
      long mine = parks + 1;
      time.addEvent(time.nowNs() + maxNs, (Runnable) () -> {
        if (parked && parks == mine) {
          parked = false;
          resume();
        }
      }, null);
    }
    park();
  }

  /** Wakes the thread from {@link #park} at this virtual time, or saves one permit for its next park. */
  public void unpark() {
    if (parked) {
      parked = false;
      time.addEvent(time.nowNs(), resume, null);
    } else {
      permit = true;
    }
  }

  private void requireOwn() {
    if (Thread.currentThread() != thread) {
      throw new IllegalStateException("called by thread '" + Thread.currentThread().getName() + "', must be by " + name + " itself");
    }
  }

  /** The simulation's loop: hands the baton to this thread and waits until it comes back. */
  private void resume() {
    if (done) {
      return;
    }
    if (stopped && !cancelled) {
      isDue = true;
      return;
    }
    loop = Thread.currentThread();
    time.handOver(thread);
    isOurTurn = true;
    if (carried != null) {
      carry();
    } else {
      if (thread.getState() == Thread.State.NEW) {
        thread.start();
      } else {
        LockSupport.unpark(thread);
      }
      awaitTurn(false);
    }
    if (failure != null && !cancelled) {
      throw new IllegalStateException("application thread " + name + " failed at " + time.nowNs() + " ns, seed " + time.seed()
          + ": " + failure, failure);
    }
  }

  private void carry() {
    while (isOurTurn) {
      if (!carried.run()) {
        throw new IllegalStateException("application thread " + name + " waits for what nobody can give it, at " + time.nowNs() + " ns, seed " + time.seed()
            + "; it may only compute, park or end: " + Arrays.toString(thread.getStackTrace()));
      }
    }
  }

  /** The application thread: gives the baton back and waits for its next turn. */
  private void giveBack() {
    if (cancelled) {
      throw new Cancelled(name);
    }
    endTurn();
    awaitTurn(true);
    if (cancelled) {
      throw new Cancelled(name);
    }
  }

  private void endTurn() {
    Thread to = loop;
    time.handOver(to);
    isOurTurn = false;
    if (carried == null) {
      LockSupport.unpark(to);
    }
  }

  private void awaitTurn(boolean ours) {
    boolean interrupted = false;
    while (isOurTurn != ours) {
      LockSupport.park(this);
      interrupted |= Thread.interrupted();
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private void run(Consumer<AppThread> body) {
    CURRENT.set(this);
    try {
      body.accept(this);
    } catch (Throwable thrown) {
      failure = thrown;
    }
    done = true;
    endTurn();
  }

  /** Ends a thread that has not ended. The loop's thread calls this between runs. */
  void cancel() {
    if (done) {
      return;
    }
    cancelled = true;
    if (thread.getState() == Thread.State.NEW) {
      done = true;
      return;
    }
    resume();
    if (!done) {
      throw new IllegalStateException("application thread " + name + " does not end when it is closed: it catches everything");
    }
  }

  @Override
  public String toString() {
    return name + (done ? " (ended)" : parked ? " (parked)" : " (computing)");
  }
}
