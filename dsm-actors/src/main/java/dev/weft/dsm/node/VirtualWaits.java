package dev.weft.dsm.node;

import dev.weft.fabric.time.AppThread;
import dev.weft.hca.node.Fabric;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * Application threads in virtual time wait parked, and are woken by the message after which what they wait for holds. One for each node. Who is
 * no application thread runs the simulation meanwhile.
 */
public final class VirtualWaits implements ThreadWaits {
  /** Longer waits have no end of their own: an alarm for each would stay until its time. */
  private static final long LONGEST_ALARM_NS = 3_600_000_000_000L;

  private record Waiting(AppThread thread, BooleanSupplier until) {}

  private final Fabric fabric;
  private final List<Waiting> waiting = new ArrayList<>();

  /** @param fabric in virtual time */
  public VirtualWaits(Fabric fabric) {
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

  /** What woke it may have been meant for an earlier wait, so it looks again. */
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

  /** The JVM does not tell how much stack a virtual thread has left, so each look would take 2048 calls; and nothing outlives a run that fails. */
  @Override
  public void requireRoom() {
    if (AppThread.current() == null) {
      ThreadWaits.super.requireRoom();
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
