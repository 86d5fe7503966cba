package dev.weft.tripwire.mpi;

import dev.weft.fabric.time.AppThread;
import dev.weft.fabric.time.VirtualSystem;
import dev.weft.hca.node.DeviceHost;
import dev.weft.tripwire.nic.Nic;
import dev.weft.tripwire.nic.NicException;
import dev.weft.tripwire.nic.Tripwire;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** How a rank waits: it polls, or sleeps until a Tripwire fires or {@link #ring} is called, or polls first and then sleeps. */
public interface Waiting {
  /**
   * Waits until there is news. Called by the thread of the rank.
   *
   * @param news cheap; may be called on other threads
   * @param wire fires when there may be news; armed before a sleep
   * @param maxNs approximate maximum wait
   */
  void await(BooleanSupplier news, Tripwire wire, long maxNs);

  /** Lets time pass. Called by the thread of the rank. */
  void pause(long ns);

  /** There may be news. Any thread. */
  void ring();

  /** The LID of a node's NIC if it can be reached, otherwise 0. Called by the thread of the rank. */
  default int reach(Nic nic, String node) {
    return nic.lidOf(node);
  }

  /** In real time: polls, and runs the hardware meanwhile if no other thread does, then sleeps (proposed in CLAN, section 6.3). */
  static Waiting realTime(DeviceHost host, long spinNs) {
    return new RealTime(host, spinNs);
  }

  /** In virtual time: checks every {@code lookNs} nanoseconds. */
  static Waiting spinning(AppThread thread, long lookNs) {
    return new Spinning(thread, lookNs);
  }

  /** In virtual time: sleeps at once. */
  static Waiting sleeping(AppThread thread, VirtualSystem system) {
    return new Sleeping(thread, system);
  }

  /** See {@link #realTime}. */
  final class RealTime implements Waiting {
    private final DeviceHost host;
    private final long spinNs;
    private volatile Thread sleeper;

    private RealTime(DeviceHost host, long spinNs) {
      this.host = host;
      this.spinNs = spinNs;
    }

    @Override
    public void await(BooleanSupplier news, Tripwire wire, long maxNs) {
      if (host.help(news, Math.min(spinNs, maxNs))) {
        return;
      }
      sleeper = Thread.currentThread();
      wire.arm();
      if (!news.getAsBoolean() && !Thread.currentThread().isInterrupted()) {
        LockSupport.parkNanos(this, maxNs);
      }
      sleeper = null;
      wire.disarm();
      wire.take();
      if (Thread.currentThread().isInterrupted()) {
        throw new MpiException(ErrorClass.INTERRUPTED, "interrupted while waiting");
      }
    }

    @Override
    public void pause(long ns) {
      LockSupport.parkNanos(this, ns); // Sleeps: while it waits for other ranks, their JVMs need the processor to start.
      if (Thread.currentThread().isInterrupted()) {
        throw new MpiException(ErrorClass.INTERRUPTED, "interrupted while waiting");
      }
    }

    @Override
    public void ring() {
      LockSupport.unpark(sleeper);
    }

    /** Between JVMs it takes a while until there is a path. */
    @Override
    public int reach(Nic nic, String node) {
      try {
        return nic.lidOf(node) == 0 ? 0 : nic.reach(node);
      } catch (NicException notYet) {
        return 0;
      }
    }
  }

  /** See {@link #spinning}. */
  final class Spinning implements Waiting {
    private final AppThread thread;
    private final long lookNs;

    private Spinning(AppThread thread, long lookNs) {
      this.thread = thread;
      this.lookNs = lookNs;
    }

    @Override
    public void await(BooleanSupplier news, Tripwire wire, long maxNs) {
      long startNs = thread.nowNs();
      do {
        thread.compute(lookNs);
      } while (!news.getAsBoolean() && thread.nowNs() - startNs < maxNs);
    }

    @Override
    public void pause(long ns) {
      thread.compute(ns);
    }

    @Override
    public void ring() {
      // It checks anyway.
    }
  }

  /** See {@link #sleeping}. */
  final class Sleeping implements Waiting {
    private final AppThread thread;
    private final VirtualSystem system;
    private boolean asleep;

    private Sleeping(AppThread thread, VirtualSystem system) {
      this.thread = thread;
      this.system = system;
    }

    @Override
    public void await(BooleanSupplier news, Tripwire wire, long maxNs) {
      wire.arm();
      if (!news.getAsBoolean()) {
        var timer = system.system().scheduler().scheduleOnce(Duration.ofNanos(maxNs), this::ring, system.system().executionContext());
        asleep = true;
        thread.park();
        asleep = false;
        timer.cancel();
      }
      wire.disarm();
      wire.take();
    }

    @Override
    public void pause(long ns) {
      thread.compute(ns);
    }

    @Override
    public void ring() {
      if (asleep) {
        thread.unpark();
      }
    }
  }
}
