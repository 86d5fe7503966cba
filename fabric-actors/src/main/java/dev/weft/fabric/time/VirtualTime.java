package dev.weft.fabric.time;

import akka.actor.typed.ActorRef;
import akka.dispatch.Mailbox;
import java.util.SplittableRandom;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BooleanSupplier;
import java.util.random.RandomGenerator;

/**
 * The engine of {@link VirtualSystem}: one thread, one seed, one queue ordered by (nanosecond, sequence). It runs the ready
 * mailboxes, in an order drawn from the seed, until none is left. Then it advances the clock to the earliest event and
 * releases all events of that nanosecond before it draws the next mailbox. So the seed also decides their order.
 *
 * <p>Invariants: everything happens on the owner thread, and any other thread that enqueues fails the run; nothing reads
 * the machine's clock; every executed event enters the trace hash.
 */
final class VirtualTime implements Clock, Timers {
  private static final long TIMER_HASH = 0x7469_6d65_7200_0001L;

  private final long seed;
  private final EventWheel events;
  private final ReadyList ready;
  private final SplittableRandom schedule;
  private final SplittableRandom main;
  private final SplittableRandom faults;
  private final Brakes brakes = new Brakes();
  private final FailureFinder failures = new FailureFinder();

  private volatile Thread owner = Thread.currentThread();
  private volatile IllegalStateException foreign;
  private boolean running;
  private long nowNs;
  private long eventsRun;
  private long traceHash;

  VirtualTime(long seed, int maxPending) {
    this.seed = seed;
    this.events = new EventWheel(maxPending);
    this.ready = new ReadyList(maxPending);
    this.schedule = new SplittableRandom(mix(seed ^ 0x5c4e_d01eL));
    this.main = new SplittableRandom(mix(seed ^ 0x4d41_494eL));
    this.faults = new SplittableRandom(mix(seed ^ 0xfa_0175L));
    this.traceHash = mix(seed);
  }

  @Override
  public long nowNs() {
    return nowNs;
  }

  RandomGenerator random() {
    return main;
  }

  RandomGenerator faultRandom() {
    return faults;
  }

  long seed() {
    return seed;
  }

  long eventsRun() {
    return eventsRun;
  }

  long traceHash() {
    return traceHash;
  }

  int pendingEvents() {
    return events.size();
  }

  void fold(long fact) {
    traceHash = mix(traceHash ^ fact) + 0x9e37_79b9_7f4a_7c15L;
  }

  /** Passes the run to another thread; from now on, only that thread may enqueue or run. The present owner calls this. */
  void handOver(Thread next) {
    requireOwner();
    owner = next;
  }

  void failOnActorFailure(boolean fail) {
    failures.enable(fail);
  }

  @Override
  public <T> void at(long deadlineNs, ActorRef<T> receiver, T message) {
    addEvent(deadlineNs, receiver, message);
  }

  void addEvent(long deadlineNs, Object target, Object argument) {
    requireOwner();
    events.add(Math.max(deadlineNs, nowNs), target, argument);
  }

  void execute(Runnable task) {
    requireOwner();
    long delayNs = brakes.delayNs(task);
    if (delayNs == 0) {
      ready.add(task);
    } else if (delayNs == Brakes.HELD) {
      brakes.hold(task);
    } else {
      events.add(nowNs + delayNs, brakes.delay(task, ready), null);
    }
  }

  /** See {@link VirtualSystem#slow}; {@link Brakes#HELD} holds the actors until the rule changes. */
  void brake(String actorPath, long delayNs) {
    requireOwner();
    brakes.set(actorPath, delayNs);
    brakes.takeWaiting().forEach(this::execute);
  }

  void releaseBrakes() {
    requireOwner();
    brakes.clear();
    brakes.takeWaiting().forEach(this::execute);
  }

  void requireOwner() {
    Thread current = Thread.currentThread();
    if (current != owner) {
      IllegalStateException error =
          new IllegalStateException(
              "thread '" + current.getName() + "' enqueued into the virtual-time run of seed " + seed + ", which belongs to '"
                  + owner.getName() + "': no ask, future or thread may reach a simulated actor");
      if (foreign == null) {
        foreign = error;
      }
      throw new RejectedExecutionException(error.getMessage(), error);
    }
  }

  // ---- the loop -------------------------------------------------------------------------------------------------------

  long runUntilIdle(long maxEvents) {
    long before = eventsRun;
    enter();
    try {
      while (step(Long.MAX_VALUE)) {
        if (eventsRun - before > maxEvents) {
          throw new IllegalStateException(
              "seed " + seed + " is not idle after maxEvents = " + maxEvents + " events, at " + nowNs + " ns");
        }
      }
    } finally {
      running = false;
    }
    return eventsRun - before;
  }

  boolean runUntil(BooleanSupplier condition, long maxVirtualNs) {
    long limitNs = Math.addExact(nowNs, maxVirtualNs);
    enter();
    try {
      while (!condition.getAsBoolean()) {
        if (!step(limitNs)) {
          nowNs = Math.max(nowNs, limitNs);
          return condition.getAsBoolean();
        }
      }
      return true;
    } finally {
      running = false;
    }
  }

  /** Runs all ready tasks without advancing the clock. */
  void runReady(long maxEvents) {
    enter();
    try {
      for (long i = 0; !ready.isEmpty(); i++) {
        if (i >= maxEvents) {
          throw new IllegalStateException(
              "seed " + seed + " still has ready actors after maxEvents = " + maxEvents + " at " + nowNs + " ns");
        }
        runOneReady();
      }
      check();
    } finally {
      running = false;
    }
  }

  private void enter() {
    requireOwner();
    if (running) {
      throw new IllegalStateException("the run of seed " + seed + " was re-entered from inside one of its events");
    }
    check();
    running = true;
  }

  /** Runs one ready task, or releases the events of the next nanosecond. Returns false if there is nothing to run up to the limit. */
  private boolean step(long limitNs) {
    if (!ready.isEmpty()) {
      runOneReady();
    } else if (!events.isEmpty() && events.headDeadlineNs() <= limitNs) {
      releaseEvents();
    } else {
      check();
      return false;
    }
    check();
    return true;
  }

  private void runOneReady() {
    int size = ready.size();
    int index = size == 1 ? 0 : schedule.nextInt(size);
    long pathHash = ready.hashAt(index);
    Runnable task = ready.remove(index);
    record(pathHash);
    task.run();
    if (task instanceof Mailbox mailbox) {
      if (!mailbox.isClosed() && mailbox.suspendCount() != 0) {
        failures.inspect(mailbox);
      }
    }
  }

  private void releaseEvents() {
    nowNs = events.headDeadlineNs();
    // Events that these add for the same nanosecond have to wait until the mailboxes have had their turn.
    for (int due = events.size(); due > 0 && !events.isEmpty() && events.headDeadlineNs() == nowNs; due--) {
      int slot = events.head();
      Object target = events.target(slot);
      Object argument = events.argument(slot);
      record(TIMER_HASH ^ events.sequence(slot));
      events.removeHead();
      fire(target, argument);
    }
  }

  @SuppressWarnings("unchecked") // Timers.at has checked that the types of the pair match.
  private static void fire(Object target, Object argument) {
    if (target instanceof Runnable task) {
      task.run();
    } else {
      ((ActorRef<Object>) target).tell(argument);
    }
  }

  private void record(long what) {
    eventsRun++;
    fold(nowNs);
    fold(what);
    fold(eventsRun);
  }

  private void check() {
    IllegalStateException error = foreign;
    if (error != null) {
      throw new IllegalStateException(error.getMessage(), error);
    }
    failures.check(this);
  }

  /** The finalizer of a 64-bit mixing function (Stafford's variant 13). */
  static long mix(long value) {
    long z = value;
    z = (z ^ (z >>> 30)) * 0xbf58_476d_1ce4_e5b9L;
    z = (z ^ (z >>> 27)) * 0x94d0_49bb_1331_11ebL;
    return z ^ (z >>> 31);
  }
}
