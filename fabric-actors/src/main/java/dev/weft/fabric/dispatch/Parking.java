package dev.weft.fabric.dispatch;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;

/** The sleep of the dedicated thread: on its bell if it has one, otherwise by {@link LockSupport}. */
final class Parking {
  private static final VarHandle PARKED;

  static {
    try {
      PARKED = MethodHandles.lookup().findVarHandle(Parking.class, "parked", boolean.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final Thread dedicated;
  private volatile boolean parked;
  private volatile Bell bell;
  private Bell sleepsOn; // written before parked is set
  private long count; // written by the dedicated thread

  Parking(Thread dedicated) {
    this.dedicated = dedicated;
  }

  void useBell(Bell ownBell) {
    bell = ownBell;
    LockSupport.unpark(dedicated);
  }

  boolean hasBell() {
    return bell != null;
  }

  /** Whether the dedicated thread sleeps or is about to. */
  boolean isParked() {
    return parked;
  }

  /** Returns the number of sleeps so far. */
  long count() {
    return count;
  }

  /** Lets packets from other JVMs wake the dedicated thread. Returns false without a bell. The caller must poll for packets once more. */
  boolean listen() {
    Bell rings = bell;
    if (rings != null) {
      rings.listen();
    }
    return rings != null;
  }

  void stopListening() {
    Bell rings = bell;
    if (rings != null) {
      rings.stopListening();
    }
  }

  /** Wakes the dedicated thread if it is parked. Any thread. */
  void wake() {
    if (PARKED.compareAndSet(this, true, false)) {
      Bell slept = sleepsOn;
      if (slept != null) {
        slept.wake();
      } else {
        LockSupport.unpark(dedicated);
      }
    }
  }

  /** Ends the present sleep unconditionally. Any thread. */
  void end() {
    Bell slept = bell;
    if (slept != null) {
      slept.wake();
    }
    LockSupport.unpark(dedicated);
  }

  /** Dedicated thread: announces its sleep. From here on, a wake-up ends the next {@link #sleep}. */
  void announce() {
    sleepsOn = bell;
    if (sleepsOn != null) {
      sleepsOn.announceSleep();
    }
    parked = true;
  }

  /** Dedicated thread: sleeps until it is woken, at most {@code maxNs}. */
  void sleep(long maxNs) {
    count++;
    if (sleepsOn != null) {
      sleepsOn.sleep(maxNs);
    } else {
      LockSupport.parkNanos(this, maxNs);
    }
  }

  /** Dedicated thread: says that it is awake, also if it has not slept after {@link #announce}. */
  void awake() {
    parked = false;
    if (sleepsOn != null) {
      sleepsOn.awake();
      sleepsOn.stopListening();
    }
    Thread.interrupted(); // Clears the status: no interrupt of this thread has a meaning.
  }
}
