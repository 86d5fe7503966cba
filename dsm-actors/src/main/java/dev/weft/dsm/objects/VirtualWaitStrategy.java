package dev.weft.dsm.objects;

import dev.weft.fabric.time.AppThread;
import dev.weft.hca.node.Fabric;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * The waits of application threads in virtual time. Threads are parked, and the message that makes their condition true wakes them. One instance for
 * each node. A waiting thread that is not an application thread runs the simulation meanwhile.
 */
public final class VirtualWaitStrategy implements WaitStrategy {
  /** Longer waits set no alarm of their own, because it would stay until its time. */
  private static final long LONGEST_ALARM_NS = 3_600_000_000_000L;

  private record Waiting(AppThread thread, BooleanSupplier until) {}

  private final Fabric fabric;
  private final List<Waiting> waiting = new ArrayList<>();

  /** @param fabric in virtual time */
  public VirtualWaitStrategy(Fabric fabric) {
    this.fabric = fabric;
  }

  @Override
  public boolean await(BooleanSupplier until, long maxNs) {
    AppThread me = AppThread.current();
    if (me == null) {
      return fabric.await(until, Duration.ofNanos(maxNs));
    }
    if (until.getAsBoolean()) {
      return true;
    }
    Waiting mine = new Waiting(me, until);
    waiting.add(mine);
    try {
      return park(me, until, maxNs);
    } finally {
      waiting.remove(mine);
    }
  }

  /** The wake-up may belong to an earlier wait, so the thread checks again. */
  private static boolean park(AppThread me, BooleanSupplier until, long maxNs) {
    long startNs = me.nowNs();
    while (!until.getAsBoolean()) {
      long leftNs = maxNs - (me.nowNs() - startNs);
      if (leftNs <= 0) {
        return false;
      }
      if (maxNs > LONGEST_ALARM_NS) {
        me.park();
      } else {
        me.park(leftNs);
      }
    }
    return true;
  }

  /** The JVM does not report the remaining stack of a virtual thread, so each check would take 2048 calls; and nothing outlives a failed run. */
  @Override
  public void requireRoom() {
    if (AppThread.current() == null) {
      WaitStrategy.super.requireRoom();
    }
  }

  @Override
  public void changed() {
    for (Waiting each : waiting) {
      if (each.until.getAsBoolean()) {
        each.thread.unpark();
      }
    }
  }
}
