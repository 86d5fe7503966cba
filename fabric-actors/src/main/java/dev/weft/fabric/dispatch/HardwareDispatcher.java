package dev.weft.fabric.dispatch;

import akka.actor.typed.ActorRef;
import akka.actor.typed.ActorSystem;
import akka.actor.typed.DispatcherSelector;
import dev.weft.fabric.time.FabricContext;
import dev.weft.fabric.time.RealClock;
import dev.weft.fabric.time.Timers;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.security.SecureRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;

/**
 * Runs all hardware actors of an actor system on one thread at a time: the hardware thread.
 *
 * <p><b>Ownership.</b> {@code owner} is null or the thread that runs duty cycles. A thread takes ownership by compare-and-set
 * from null and gives it back by a volatile store, so everything one owner did happens before everything the next one does. A
 * thread that reads its own identity there wrote it itself. Hence {@link #isHardwareThread()} and the local queue need no atomic
 * operation. The dedicated thread owns while it works and spins. It gives ownership up before each yield, before each sleep, and
 * after the current cycle if {@code helperLooks} is set. A helper sets that while it waits for ownership; one helper at a time
 * does. Any other thread may own for a while by {@link #help}.
 *
 * <p><b>No wake-up is lost.</b> Three volatile variables matter: the foreign queue, {@code owner} and {@code parked}.
 *
 * <ul>
 *   <li>A submitter first enqueues, then reads {@code owner}, then {@code parked}. If there is an owner, the submitter wakes
 *       nobody: an owner that leaves first stores null and then checks the queue (Dekker's argument: either the leaving owner
 *       sees the task or the submitter sees null). If there is no owner and {@code parked} is set, the submitter wakes the
 *       dedicated thread.
 *   <li>The dedicated thread leaves, sets {@code parked}, and then checks the queue, {@code owner} and {@code helperTurns}
 *       again; every helper advances {@code helperTurns} before it leaves. The dedicated thread sleeps if there is an owner,
 *       which will see {@code parked} when it leaves. It also sleeps if there is no owner, no helper had a turn in between and
 *       the queue is empty, because every later submitter or leaving helper sees {@code parked}.
 *   <li>A helper that leaves with local tasks, foreign tasks or a timer earlier than the end of the dedicated thread's
 *       sleep wakes the dedicated thread. If nothing is left, it does not, because that would cost a thread switch per
 *       request. The pollers then run when the dedicated thread's sleep ends, at most {@code park-max} later.
 *   <li>A helper that finds {@code helperLooks} set by another one sleeps among the {@link SleepingHelpers}. An owner that leaves stores null,
 *       then reads {@code helperLooks}; a helper that stops looking clears it, then reads {@code owner}. So one of the two sees that no
 *       thread runs the hardware, and wakes the first sleeping helper, unless the bell listens and all pollers ring.
 *   <li>A submitter inside {@link #deferWake()} wakes nobody because it is about to help. When it leaves that scope, it applies the
 *       rule that it skipped. So a submitter that then does not help costs time, but no wake-up is lost.
 * </ul>
 *
 * <p><b>The bell.</b> With {@link #useBell}, the dedicated thread sleeps on a word that other JVMs can wake, and so may sleep for {@code
 * park-rung}. The bell listens while no thread runs the pollers. The dedicated thread makes it listen before it sleeps. A helper that leaves
 * while {@code parked} is set makes it listen before it gives up ownership. Both run the pollers once more after that. A helper that has not
 * seen {@code parked} before it leaves, but sees it afterwards, wakes the dedicated thread.
 *
 * <p>A sleep is never longer than {@code park-max}, {@code park-rung} or the time to the next timer. So an error in these rules would cause
 * latency, not a hang.
 */
public final class HardwareDispatcher implements Executor {
  /** Configuration path of the dispatcher. */
  public static final String CONFIG_PATH = "weft.hardware-dispatcher";

  /** Puts an actor on this dispatcher, with a bounded mailbox. */
  public static final DispatcherSelector SELECTOR = HardwareMailbox.selector();

  /** A helper reads the clock every 16 cycles. */
  private static final int TIME_CHECK_MASK = 15;

  /** Largest number of cycles that a helper runs for remaining local tasks when its condition holds. */
  private static final int FINISHING_CYCLES = 16;

  /** While helpers do its work, the dedicated thread sleeps {@code park-min} times two to the power of this. */
  private static final int ROUNDS_BESIDE_HELPERS = 2;

  private static final VarHandle OWNER;

  static {
    try {
      OWNER = MethodHandles.lookup().findVarHandle(HardwareDispatcher.class, "owner", Thread.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /** A scope in which this thread's submissions do not wake the dedicated thread, because the thread is about to {@link #help}. */
  public interface DeferredWake extends AutoCloseable {
    @Override
    void close();
  }

  private final HardwareDispatcherSettings settings;
  final DutyCycle cycle;
  private final Timers timers = this::timerAt;
  private final Thread dedicated;
  final Parking parking;
  private final AtomicBoolean helperLooks = new AtomicBoolean();
  private final SleepingHelpers sleepers = new SleepingHelpers();
  private final WakeDeferral deferral = new WakeDeferral(this::wakeForDeferred);
  private final Crowding dedicatedCrowding;
  private final Crowding helperCrowding; // used by the owner
  private final CountDownLatch terminated = new CountDownLatch(1);

  private volatile Thread owner;
  private volatile boolean stopping;
  private volatile long sleepEndNs;
  private int turnsAtRelease; // used by the dedicated thread
  private boolean rung; // whether all pollers ring the bell; used by the dedicated thread
  private volatile int helperTurns; // written by the owner
  private long helpedNs; // written by the owner

  HardwareDispatcher(HardwareDispatcherSettings settings, ThreadFactory threads) {
    this.settings = settings;
    this.cycle = new DutyCycle(settings);
    this.dedicated = threads.newThread(this::runDedicated);
    this.parking = new Parking(dedicated);
    this.dedicatedCrowding = new Crowding(settings.spinCycles());
    this.helperCrowding = new Crowding(settings.spinCycles());
  }

  /**
   * Returns the hardware dispatcher of an actor system. The first call starts it; it ends with the system.
   *
   * @throws IllegalStateException if the system's configuration has another executor at {@link #CONFIG_PATH}, as in virtual
   *     time
   */
  public static HardwareDispatcher of(ActorSystem<?> system) {
    return HardwareDispatchers.of(system);
  }

  /** Returns the context for hardware actors of a real-time system: machine clock, the dispatcher's timers, secure random numbers. */
  public static FabricContext realContext(ActorSystem<?> system) {
    return new FabricContext(RealClock.INSTANCE, of(system).timers(), new SecureRandom());
  }

  /** Starts the dedicated thread. Only its registry does this, once. */
  void start() {
    dedicated.start();
  }

  /** Ends the dedicated thread after the queued tasks have run. */
  void stop() {
    HardwareDispatchers.forget(this);
    stopping = true;
    parking.end();
  }

  boolean isTerminated() {
    return terminated.getCount() == 0;
  }

  boolean awaitTermination(long timeoutNs) throws InterruptedException {
    return terminated.await(timeoutNs, TimeUnit.NANOSECONDS);
  }

  /** Whether the calling thread is the one that currently runs hardware actors. */
  public boolean isHardwareThread() {
    return owner == Thread.currentThread();
  }

  /**
   * Runs a task on the hardware thread. Any thread.
   *
   * @throws RejectedExecutionException if the dispatcher has ended, or the queue stays full for the configured time. If the
   *     dispatcher ends during the call, the task may run nevertheless.
   */
  @Override
  public void execute(Runnable task) {
    if (isHardwareThread()) {
      cycle.addLocal(task);
      return;
    }
    if (!cycle.offerForeign(task)) {
      cycle.awaitRoom(task, this::isTerminated, this::wakeIfNobodyRuns);
    }
    if (isTerminated()) {
      throw new RejectedExecutionException("the hardware dispatcher has ended with its actor system");
    }
    if (owner == null && parking.isParked() && !deferral.isActive()) {
      parking.wake();
    }
  }

  /** Adds a poller, which each duty cycle then calls. Any thread. */
  public void addPoller(Poller poller) {
    runOrExecute(() -> cycle.addPoller(poller));
  }

  /** Removes a poller. Any thread; on a thread other than the hardware thread, duty cycles may call the poller a few more times. */
  public void removePoller(Poller poller) {
    runOrExecute(() -> cycle.removePoller(poller));
  }

  /**
   * Makes the dedicated thread sleep on a bell, so that other JVMs can wake it. If all pollers ring the bell, it then sleeps up to {@code
   * park-rung}. Call it once, on any thread.
   */
  public void useBell(Bell ownBell) {
    parking.useBell(ownBell);
  }

  /** Returns the timers, which fire from the duty cycle. Any thread. A timer in the past fires in the next cycle. */
  public Timers timers() {
    return timers;
  }

  /** Returns a snapshot of the counters. Any thread. */
  public HardwareDispatcherStats stats() {
    return cycle.stats(parking.count(), helpedNs);
  }

  /** Starts a scope in which this thread's submissions wake nobody, for a {@code tell} and the {@link #help} that follows it. Scopes nest. */
  public DeferredWake deferWake() {
    return deferral.begin();
  }

  /** Applies the rule that the submissions of a {@link #deferWake} scope have skipped. */
  private void wakeForDeferred() {
    if (!isHardwareThread() && cycle.hasForeign()) {
      wakeIfNobodyRuns();
    }
  }

  /**
   * Lends the calling thread to the hardware actors until a condition holds. While no other thread runs them, this thread
   * does, so that a request and its reply need no thread switch.
   *
   * @param until the condition, evaluated on this thread and on the hardware thread; must be cheap and thread-safe
   * @param maxNs longest time to help or wait, in nanoseconds
   * @return whether {@code until} holds; false after {@code maxNs}, or if the thread was interrupted
   * @throws IllegalStateException on the hardware thread, which cannot wait for itself
   */
  public boolean help(BooleanSupplier until, long maxNs) {
    if (isHardwareThread()) {
      throw new IllegalStateException("help() on the hardware thread would wait for itself");
    }
    Thread me = Thread.currentThread();
    long startNs = RealClock.INSTANCE.nowNs();
    int rounds = 0;
    boolean slept = false;
    while (!until.getAsBoolean()) {
      boolean atOnce = tryAcquire(me);
      boolean owned = atOnce || acquireAsHelper(me, until);
      if (owned && helpAsOwner(until, startNs, maxNs, atOnce && rounds == 0 ? startNs : RealClock.INSTANCE.nowNs())) {
        return true;
      }
      if (RealClock.INSTANCE.nowNs() - startNs >= maxNs || me.isInterrupted() || stopping) {
        return until.getAsBoolean();
      }
      // A helper that never became the owner must not sleep if there is no owner now: the last owner may have relied on it.
      BooleanSupplier awake = owned ? until : () -> until.getAsBoolean() || owner == null;
      sleepers.sleep(me, until, awake, Math.min(maxNs - (RealClock.INSTANCE.nowNs() - startNs), settings.parkNs(rounds++)));
      slept = true;
    }
    if (slept && owner == null) {
      sleepers.wakeFirst(); // This thread may have been woken to run the hardware; now another sleeping helper must run it.
    }
    return true;
  }

  /** Spins, then yields, until it gets ownership. Gives up if another thread keeps it, and immediately if another helper waits for it already. */
  private boolean acquireAsHelper(Thread me, BooleanSupplier until) {
    if (!helperLooks.compareAndSet(false, true)) {
      return false;
    }
    boolean owns = false;
    try {
      for (int i = 0; i < settings.spinCycles() + settings.yieldCycles(); i++) {
        owns = tryAcquire(me);
        if (owns) {
          return true;
        }
        if (until.getAsBoolean()) {
          return false;
        }
        if (i < settings.spinCycles()) {
          Thread.onSpinWait();
        } else {
          Thread.yield();
        }
      }
      return false;
    } finally {
      helperLooks.set(false);
      if (!owns && owner == null) {
        sleepers.wakeFirst(); // The last owner has left the hardware to this thread.
      }
    }
  }

  /** Runs duty cycles until the condition holds, time is up, or there was nothing to do for a while. */
  private boolean helpAsOwner(BooleanSupplier until, long startNs, long maxNs, long ownedNs) {
    boolean done = false;
    parking.stopListening();
    cycle.takeInterrupted(); // Discards the interrupt of an earlier owner.
    try {
      int idle = 0;
      for (int cycles = 1; !done && idle < settings.spinCycles() + settings.yieldCycles() + 1; cycles++) {
        idle = runCycle() ? 0 : idle + 1;
        done = until.getAsBoolean();
        if (wasInterrupted()) {
          break;
        }
        if (!done && idle > helperCrowding.spinCycles()) {
          helperCrowding.yieldProcessor();
        }
        if ((cycles & TIME_CHECK_MASK) == 0 && RealClock.INSTANCE.nowNs() - startNs >= maxNs) {
          break;
        }
      }
      finish();
    } finally {
      leaveAsHelper(ownedNs);
    }
    return done;
  }

  /** Completes the local tasks of the last cycle before the helper leaves, within bounds. Waking another thread for them would cost more. */
  private void finish() {
    boolean was = Thread.interrupted();
    for (int i = 0; i < FINISHING_CYCLES && cycle.hasLocal(); i++) {
      runCycle();
      boolean taken = cycle.takeInterrupted();
      was |= Thread.interrupted() || taken;
    }
    if (was) {
      Thread.currentThread().interrupt();
    }
  }

  /** Restores the interrupt status of this helper: the mailboxes that it runs clear it. */
  private boolean wasInterrupted() {
    boolean was = cycle.takeInterrupted();
    if (was) {
      Thread.currentThread().interrupt();
    }
    return was;
  }

  private void leaveAsHelper(long ownedNs) {
    boolean listens = parking.isParked() && parking.listen();
    if (listens) {
      runCycle(); // Handles what came before the bell listened.
      wasInterrupted();
    }
    long nowNs = RealClock.INSTANCE.nowNs();
    helpedNs += nowNs - ownedNs;
    helperTurns = helperTurns + 1;
    boolean workLeft = cycle.hasLocal();
    long nextTimerNs = nowNs + cycle.nsToNextTimer(nowNs, settings.longestSleepNs(isRung()));
    boolean isWatched = listens && !cycle.mustPoll();
    owner = null;
    if (parking.isParked()
        && (workLeft || cycle.hasForeign() || parking.hasBell() && !listens || nextTimerNs - sleepEndNs < 0)) {
      parking.wake();
    }
    if (!isWatched && !helperLooks.get()) {
      sleepers.wakeFirst();
    }
  }

  private boolean runCycle() {
    boolean worked = cycle.run() > 0;
    if (worked) {
      sleepers.wakeServed();
    }
    return worked;
  }

  private boolean tryAcquire(Thread me) {
    return owner == null && OWNER.compareAndSet(this, null, me);
  }

  private void wakeIfNobodyRuns() {
    if (owner == null && parking.isParked()) {
      parking.wake();
    }
  }

  private <T> void timerAt(long deadlineNs, ActorRef<T> receiver, T message) {
    runOrExecute(() -> cycle.addTimer(deadlineNs, receiver, message));
  }

  private void runOrExecute(Runnable change) {
    if (isHardwareThread()) {
      change.run();
    } else {
      execute(change);
    }
  }

  // ---- the dedicated thread -------------------------------------------------------------------------------------------

  private void runDedicated() {
    Thread me = Thread.currentThread();
    if (settings.timeSliceNs() > 0) {
      TimeSlice.request(settings.timeSliceNs());
    }
    int idle = 0;
    int turnsSeen = 0;
    while (!(stopping && idle > 0 && !cycle.hasForeign())) {
      if (tryAcquire(me)) {
        idle = ownAsDedicated(idle, helperTurns != turnsSeen);
        turnsSeen = turnsAtRelease;
        if (helperLooks.get() || settings.yieldsAfter(idle)) {
          boolean crowded = dedicatedCrowding.yieldProcessor();
          if (settings.yieldsAfter(idle)) {
            // If other threads wait for the processor, the thread sleeps on the bell after one more cycle.
            idle += crowded && rung ? settings.yieldCycles() : 0;
            continue;
          }
        }
      }
      sleepAsDedicated(me, turnsSeen);
    }
    terminated.countDown();
    while (cycle.hasForeign() && tryAcquire(me)) { // A submitter has not seen the end yet.
      ownAsDedicated(0, false);
    }
  }

  /**
   * Runs cycles until idle or until a helper wants the dispatcher. Returns the number of consecutive empty cycles. If {@code helped}, it
   * does not spin: helpers come back soon, and spinning would take the processor that their clients need.
   */
  private int ownAsDedicated(int idleBefore, boolean helped) {
    int idle = idleBefore;
    int spinMax = helped ? 0 : dedicatedCrowding.spinCycles();
    long nowNs;
    try {
      do {
        idle = runCycle() ? 0 : idle + 1;
      } while (idle <= spinMax && !helperLooks.get() && !(stopping && idle > 0));
      if (!helped && idle > spinMax) {
        idle = Math.max(idle, settings.spinCycles() + 1); // It has spun long enough: now it yields.
      }
      if (helped && idle > 0) {
        idle = Math.max(idle, settings.spinCycles() + settings.yieldCycles() + 1 + ROUNDS_BESIDE_HELPERS);
      }
    } finally {
      nowNs = RealClock.INSTANCE.nowNs();
      int rounds = idle - settings.spinCycles() - settings.yieldCycles() - 1;
      rung = isRung();
      long limitNs = rung ? settings.parkRungNs() : settings.parkNs(rounds);
      long sleepNs = cycle.hasLocal() ? 0 : cycle.nsToNextTimer(nowNs, limitNs);
      sleepEndNs = nowNs + sleepNs;
      turnsAtRelease = helperTurns;
      owner = null;
    }
    return idle;
  }

  private void sleepAsDedicated(Thread me, int turnsSeen) {
    long sleepNs = announceSleep(me, turnsSeen);
    if (!stopping && sleepNs > 0) {
      parking.sleep(sleepNs);
    }
    parking.awake();
  }

  /** Announces the sleep: from here on, other threads wake the dedicated thread. Returns how long it may sleep; not positive if work came before. */
  private long announceSleep(Thread me, int turnsSeen) {
    if (owner != null) {
      sleepEndNs = RealClock.INSTANCE.nowNs() + settings.parkMaxNs();
    }
    parking.announce();
    // A helper may have come and gone unnoticed. It saw parked = false, so it may have left local tasks or timers.
    boolean mustRun = owner == null && (helperTurns != turnsSeen || cycle.hasForeign());
    if (!mustRun && owner == null && parking.listen()) {
      mustRun = findsWork(me);
    }
    return mustRun ? 0 : sleepEndNs - RealClock.INSTANCE.nowNs();
  }

  /** Runs one round of the dedicated thread up to its sleep; returns whether it would sleep. For tests of that moment, on any single thread. */
  boolean runUntilSleep() {
    Thread me = Thread.currentThread();
    if (tryAcquire(me)) {
      ownAsDedicated(0, false);
    }
    return announceSleep(me, turnsAtRelease) > 0;
  }

  /** Runs one more cycle after the bell listens. Returns false if there was no work, or if a helper owns, which listens when it leaves. */
  private boolean findsWork(Thread me) {
    if (!tryAcquire(me)) {
      return false;
    }
    boolean worked = runCycle() || cycle.hasLocal();
    turnsAtRelease = helperTurns;
    owner = null;
    return worked || cycle.hasForeign(); // A submitter that saw an owner has not woken this thread.
  }

  private boolean isRung() {
    return parking.hasBell() && !cycle.mustPoll();
  }
}
