package dev.weft.fabric.dispatch;

import akka.actor.typed.ActorRef;
import akka.actor.typed.ActorSystem;
import akka.actor.typed.DispatcherSelector;
import akka.actor.typed.javadsl.Adapter;
import com.typesafe.config.Config;
import dev.weft.fabric.time.FabricContext;
import dev.weft.fabric.time.RealClock;
import dev.weft.fabric.time.Timers;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.security.SecureRandom;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;

/**
 * Runs all hardware actors of an actor system on one thread at a time (design section 4).
 *
 * <p><b>Ownership.</b> {@code owner} is null or the thread that runs duty cycles. It is taken by compare-and-set from null
 * and given back by a volatile store, so everything one owner did happens before everything the next one does. A thread
 * that reads its own identity there wrote it itself; hence {@link #isHardwareThread()} and the local queue need no atomic
 * operation. The dedicated thread owns while it works and spins, and gives up before each yield, before each sleep, and
 * after the current cycle while {@code helperLooks}, which one
 * helper at a time sets that looks for ownership. Any other thread may own for a while by {@link #help}.
 *
 * <p><b>No wake-up is lost.</b> Three volatile variables matter: the foreign queue, {@code owner} and {@code parked}.
 *
 * <ul>
 *   <li>A submitter first enqueues, then reads {@code owner}, then {@code parked}. If there is an owner it need not wake
 *       anybody: whoever leaves ownership first stores null and then looks at the queue (Dekker's argument: either the
 *       leaver sees the task or the submitter sees null). If there is none and {@code parked} is set, it wakes.
 *   <li>The dedicated thread leaves, sets {@code parked}, and then looks again at the queue, at {@code owner} and at
 *       {@code helperTurns}, which every helper advances before it leaves. It sleeps if there is an owner (who will see
 *       {@code parked} when leaving), or if there is none, no helper had a turn in between and the queue is empty (every
 *       later submitter or leaver sees {@code parked}).
 *   <li>A helper that leaves with local tasks, foreign tasks or a timer earlier than the end of the dedicated thread's
 *       sleep wakes the dedicated thread. If nothing is left, it does not: that would cost a thread switch per request.
 *       Pollers are then looked at when the dedicated thread's sleep ends, at most {@code park-max} later.
 *   <li>Helpers that find another one looking sleep among the {@link Waiters}. A leaver stores null, then reads {@code helperLooks};
 *       who gives up looking clears it, then reads {@code owner}. So one of the two sees that nobody runs, and wakes the first waiter,
 *       unless the bell is heard and all pollers ring.
 *   <li>A submitter inside {@link #deferWake()} wakes nobody because it is about to help; leaving that scope applies the
 *       rule that it skipped, so a broken promise costs time and not a wake-up.
 * </ul>
 *
 * <p><b>The bell.</b> With {@link #useBell} the dedicated thread sleeps on a word that other JVMs can wake, and so may sleep for
 * {@code park-rung}. The bell listens while nobody looks at the pollers: the dedicated thread makes it listen before it sleeps, a helper
 * that leaves while {@code parked} is set before it gives up ownership, and both look once more after that. A helper that leaves
 * without having seen {@code parked}, and sees it afterwards, wakes.
 *
 * <p>A sleep is never longer than {@code park-max}, {@code park-rung} or the next timer; a defect of this argument would show as latency, not as
 * a hang.
 */
public final class HardwareDispatcher implements Executor {
  /** Configuration path of the dispatcher, for {@code DispatcherSelector.fromConfig}. */
  public static final String CONFIG_PATH = "weft.hardware-dispatcher";

  /** A helper looks at the clock every 16 cycles. */
  private static final int TIME_CHECK_MASK = 15;

  /** Cycles that a helper runs at most for what is left when it has what it waited for. */
  private static final int FINISHING_CYCLES = 16;

  /** The dedicated thread sleeps {@code park-min} times two to the power of this while other threads do its work. */
  private static final int ROUNDS_BESIDE_HELPERS = 2;

  private static final Map<Object, HardwareDispatcher> BY_SYSTEM = new HashMap<>();
  private static final VarHandle OWNER;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      OWNER = lookup.findVarHandle(HardwareDispatcher.class, "owner", Thread.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /**
   * Counters since the start; read without synchronization, so a moment old.
   *
   * @param tasksRun mailboxes and other tasks
   * @param polls calls of pollers
   * @param timersFired timers that were due
   * @param parks sleeps of the dedicated thread
   * @param helpedNs time for which helpers owned the dispatcher
   * @param localHighWater longest local queue at the start of a cycle
   * @param foreignHighWater longest queue of other threads' tasks
   */
  public record Stats(
      long tasksRun,
      long polls,
      long timersFired,
      long parks,
      long helpedNs,
      int localHighWater,
      int foreignHighWater) {}

  /** A scope in which this thread's submissions wake nobody because the thread is about to {@link #help}. */
  public interface DeferredWake extends AutoCloseable {
    @Override
    void close();
  }

  private static final class Deferral {
    int depth;
  }

  private final Object systemKey;
  private final HardwareDispatcherSettings settings;
  final DutyCycle cycle;
  private final Timers timers = this::timerAt;
  private final Thread dedicated;
  final Parking parking;
  private final AtomicBoolean helperLooks = new AtomicBoolean();
  private final Waiters waiters = new Waiters();
  private final ThreadLocal<Deferral> deferral = ThreadLocal.withInitial(Deferral::new);
  private final DeferredWake deferredWake = this::endDeferral;
  private final Crowding dedicatedCrowding;
  private final Crowding helperCrowding; // of the owner
  private final CountDownLatch terminated = new CountDownLatch(1);

  private volatile Thread owner;
  private volatile boolean stopping;
  private volatile long sleepEndNs;
  private int turnsAtRelease; // of the dedicated thread
  private boolean rung; // what the dedicated thread looks for rings; of the dedicated thread
  private volatile int helperTurns; // written by the owner
  private long helpedNs; // written by the owner
  private int views; // guarded by BY_SYSTEM
  private boolean pinned; // guarded by BY_SYSTEM

  private HardwareDispatcher(Object systemKey, HardwareDispatcherSettings settings, ThreadFactory threads) {
    this.systemKey = systemKey;
    this.settings = settings;
    this.cycle = new DutyCycle(settings);
    this.dedicated = threads.newThread(this::runDedicated);
    this.parking = new Parking(dedicated);
    this.dedicatedCrowding = new Crowding(settings.spinCycles());
    this.helperCrowding = new Crowding(settings.spinCycles());
  }

  /**
   * The hardware dispatcher of an actor system; started when first asked for, ends with the system.
   *
   * @throws IllegalStateException if the system's configuration puts another executor behind {@link #CONFIG_PATH}, as
   *     virtual time does
   */
  public static HardwareDispatcher of(ActorSystem<?> system) {
    Config config = system.settings().config().getConfig(CONFIG_PATH);
    String executor = config.getString("executor");
    if (!executor.equals(HardwareExecutorConfigurator.class.getName())) {
      throw new IllegalStateException(
          CONFIG_PATH + ".executor is " + executor + ", so this system has no hardware dispatcher; it would have to be "
              + HardwareExecutorConfigurator.class.getName());
    }
    Executor akkaDispatcher = system.dispatchers().lookup(DispatcherSelector.fromConfig(CONFIG_PATH));
    Object key = Adapter.toClassic(system).settings();
    while (true) {
      akkaDispatcher.execute(() -> {}); // makes Akka ask the configurator for its executor
      synchronized (BY_SYSTEM) {
        HardwareDispatcher dispatcher = BY_SYSTEM.get(key);
        if (dispatcher != null) {
          if (!dispatcher.pinned) {
            dispatcher.pinned = true;
            Adapter.toClassic(system).registerOnTermination(dispatcher::stop);
          }
          return dispatcher;
        }
      }
    }
  }

  /** What hardware actors of a real-time system get: machine clock, this dispatcher's timers, secure random numbers. */
  public static FabricContext realContext(ActorSystem<?> system) {
    return new FabricContext(RealClock.INSTANCE, of(system).timers(), new SecureRandom());
  }

  static HardwareDispatcher obtain(Object key, HardwareDispatcherSettings settings, ThreadFactory threads) {
    synchronized (BY_SYSTEM) {
      HardwareDispatcher dispatcher = BY_SYSTEM.get(key);
      if (dispatcher == null) {
        dispatcher = new HardwareDispatcher(key, settings, threads);
        BY_SYSTEM.put(key, dispatcher);
        dispatcher.dedicated.start();
      }
      dispatcher.views++;
      return dispatcher;
    }
  }

  void releaseView() {
    boolean last;
    synchronized (BY_SYSTEM) {
      last = --views == 0 && !pinned;
    }
    if (last) {
      stop();
    }
  }

  /** Ends the dedicated thread after what is queued has run. */
  void stop() {
    synchronized (BY_SYSTEM) {
      BY_SYSTEM.remove(systemKey, this);
    }
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
   * @throws RejectedExecutionException if the dispatcher has ended, or the queue stays full for the configured time. A
   *     task submitted in the very moment in which the dispatcher ends may run all the same.
   */
  @Override
  public void execute(Runnable task) {
    if (isHardwareThread()) {
      cycle.addLocal(task);
      return;
    }
    if (!cycle.offerForeign(task)) {
      waitForRoom(task);
    }
    if (isTerminated()) {
      throw new RejectedExecutionException("the hardware dispatcher has ended with its actor system");
    }
    if (owner == null && parking.isParked() && deferral.get().depth == 0) {
      parking.wake();
    }
  }

  /** Adds a poller, called in each duty cycle from now on. Any thread. */
  public void addPoller(Poller poller) {
    runOrExecute(() -> cycle.addPoller(poller));
  }

  /** Removes a poller; when called on another thread it may be called a few more times. */
  public void removePoller(Poller poller) {
    runOrExecute(() -> cycle.removePoller(poller));
  }

  /**
   * Makes the dedicated thread sleep where other JVMs can wake it. It then sleeps for long as soon as all pollers are rung. Once, any
   * thread.
   */
  public void useBell(Bell ownBell) {
    parking.useBell(ownBell);
  }

  /** Timers that fire from the duty cycle; any thread. A timer in the past fires in the next cycle. */
  public Timers timers() {
    return timers;
  }

  /** A snapshot of the counters; any thread. */
  public Stats stats() {
    return cycle.stats(parking.count(), helpedNs);
  }

  /**
   * Starts a scope in which what this thread submits does not wake the dedicated thread. To be used around a {@code tell}
   * and the {@link #help} that follows it. Scopes nest.
   */
  public DeferredWake deferWake() {
    deferral.get().depth++;
    return deferredWake;
  }

  private void endDeferral() {
    Deferral mine = deferral.get();
    if (mine.depth == 0) {
      throw new IllegalStateException("this thread is in no deferWake() scope, or closed it twice");
    }
    if (--mine.depth == 0 && !isHardwareThread() && cycle.hasForeign()) {
      wakeIfNobodyRuns();
    }
  }

  /**
   * Lends the calling thread to the hardware actors until a condition holds. While nobody else runs them this thread
   * does, so that a request and its reply need no thread switch.
   *
   * @param until read on this thread and on the thread that runs the hardware actors; must be cheap and thread-safe
   * @param maxNs longest time to help or wait, in nanoseconds
   * @return whether {@code until} holds; false after {@code maxNs}, or when the thread was interrupted
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
      // Who has not found an owner gone while it looked must not sleep if there is none now: the last one may have counted on it.
      BooleanSupplier awake = owned ? until : () -> until.getAsBoolean() || owner == null;
      waiters.sleep(me, until, awake, Math.min(maxNs - (RealClock.INSTANCE.nowNs() - startNs), parkNs(rounds++)));
      slept = true;
    }
    if (slept && owner == null) {
      waiters.wakeFirst(); // This thread may have been woken to run the hardware, and another one waits for it.
    }
    return true;
  }

  /** Spins, then yields, for ownership; gives up when another thread keeps it, and at once when one waits for it already. */
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
        waiters.wakeFirst(); // The last owner has left it to this thread.
      }
    }
  }

  /** Runs duty cycles until the condition holds, time is up, or there was nothing to do for a while. */
  private boolean helpAsOwner(BooleanSupplier until, long startNs, long maxNs, long ownedNs) {
    boolean done = false;
    parking.stopListening();
    cycle.takeInterrupted(); // Of another thread.
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

  /** What the last cycle has begun is done before the helper leaves, within bounds: to wake another thread for it would cost more. */
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

  /** Mailboxes take the mark of an interrupt away from the helper that runs them; it gets it back. */
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
      runCycle(); // what came before it listened
      wasInterrupted();
    }
    long nowNs = RealClock.INSTANCE.nowNs();
    helpedNs += nowNs - ownedNs;
    helperTurns = helperTurns + 1;
    boolean workLeft = cycle.hasLocal();
    long nextTimerNs = nowNs + cycle.nsToNextTimer(nowNs, longestSleepNs());
    boolean isWatched = listens && !cycle.mustPoll();
    owner = null;
    if (parking.isParked()
        && (workLeft || cycle.hasForeign() || parking.hasBell() && !listens || nextTimerNs - sleepEndNs < 0)) {
      parking.wake();
    }
    if (!isWatched && !helperLooks.get()) {
      waiters.wakeFirst();
    }
  }

  private boolean runCycle() {
    boolean worked = cycle.run() > 0;
    if (worked) {
      waiters.wakeServed();
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

  private void waitForRoom(Runnable task) {
    long startNs = RealClock.INSTANCE.nowNs();
    do {
      if (RealClock.INSTANCE.nowNs() - startNs >= settings.foreignQueueFullWaitNs() || isTerminated()) {
        throw new RejectedExecutionException(
            "the hardware dispatcher's queue of foreign-queue-capacity = " + settings.foreignQueueCapacity()
                + " tasks stayed full for foreign-queue-full-wait = " + settings.foreignQueueFullWaitNs() + " ns");
      }
      wakeIfNobodyRuns();
      Thread.yield();
    } while (!cycle.offerForeign(task));
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
        if (helperLooks.get() || yieldsAfter(idle)) {
          boolean crowded = dedicatedCrowding.yieldProcessor();
          if (yieldsAfter(idle)) {
            // Where others wait for the processor, a bell is the better way to wait: after one more look the thread sleeps.
            idle += crowded && rung ? settings.yieldCycles() : 0;
            continue;
          }
        }
      }
      sleepAsDedicated(me, turnsSeen);
    }
    terminated.countDown();
    while (cycle.hasForeign() && tryAcquire(me)) { // a submitter that did not see the end yet
      ownAsDedicated(0, false);
    }
  }

  private boolean yieldsAfter(int idle) {
    return idle > settings.spinCycles() && idle <= settings.spinCycles() + settings.yieldCycles();
  }

  /**
   * Runs cycles until idle or until a helper wants the dispatcher; returns the number of empty cycles in a row. After {@code helped} it
   * runs only what is there: threads that help come back soon, and spinning beside them would cost the processor that their clients need.
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
        idle = Math.max(idle, settings.spinCycles() + 1); // It has spun as long as it should: now it yields.
      }
      if (helped && idle > 0) {
        idle = Math.max(idle, settings.spinCycles() + settings.yieldCycles() + 1 + ROUNDS_BESIDE_HELPERS);
      }
    } finally {
      nowNs = RealClock.INSTANCE.nowNs();
      int rounds = idle - settings.spinCycles() - settings.yieldCycles() - 1;
      rung = isRung();
      long limitNs = rung ? settings.parkRungNs() : parkNs(rounds);
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

  /** From here on others wake the dedicated thread; how long it may sleep, or not positive because of what came before. */
  private long announceSleep(Thread me, int turnsSeen) {
    if (owner != null) {
      sleepEndNs = RealClock.INSTANCE.nowNs() + settings.parkMaxNs();
    }
    parking.announce();
    // A helper that came and went unseen may have left local tasks or timers behind; it saw parked = false.
    boolean mustRun = owner == null && (helperTurns != turnsSeen || cycle.hasForeign());
    if (!mustRun && owner == null && parking.listen()) {
      mustRun = findsWork(me);
    }
    return mustRun ? 0 : sleepEndNs - RealClock.INSTANCE.nowNs();
  }

  /** One round of the dedicated thread up to where it would sleep; whether it would. For tests of that moment, on any one thread. */
  boolean runUntilSleep() {
    Thread me = Thread.currentThread();
    if (tryAcquire(me)) {
      ownAsDedicated(0, false);
    }
    return announceSleep(me, turnsAtRelease) > 0;
  }

  /** One more look, after the bell listens; false if there was nothing, or if a helper looks, who will listen when he leaves. */
  private boolean findsWork(Thread me) {
    if (!tryAcquire(me)) {
      return false;
    }
    boolean worked = runCycle() || cycle.hasLocal();
    turnsAtRelease = helperTurns;
    owner = null;
    return worked || cycle.hasForeign(); // A submitter that saw an owner has woken nobody.
  }

  private boolean isRung() {
    return parking.hasBell() && !cycle.mustPoll();
  }

  private long longestSleepNs() {
    return isRung() ? settings.parkRungNs() : settings.parkMaxNs();
  }

  private long parkNs(int rounds) {
    int shift = Math.clamp(rounds, 0, 30);
    return Math.min(settings.parkMaxNs(), settings.parkMinNs() << shift);
  }
}
