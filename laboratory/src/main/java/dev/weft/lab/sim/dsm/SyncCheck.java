package dev.weft.lab.sim.dsm;

import dev.weft.dsm.DsmLock.Acquired;
import dev.weft.lab.kit.Violations;

/** Checks that only one thread at a time has a lock, no addition under it is lost, and no thread leaves a barrier before all have come. */
final class SyncCheck {
  private final Violations violations;
  private final int parties;
  private final DsmThread[] holders;
  private final int[] begun;
  private final int[] done;
  private final int[] arrived;
  private boolean anyCrash;

  SyncCheck(DsmScenario scenario, Violations violations) {
    this.violations = violations;
    parties = scenario.threads();
    holders = new DsmThread[scenario.locks()];
    begun = new int[scenario.locks()];
    done = new int[scenario.locks()];
    arrived = new int[scenario.rounds()];
  }

  void onCrash() {
    anyCrash = true;
  }

  /** {@code how} is null if the thread did not learn it. */
  void onTaken(int lock, DsmThread thread, Acquired how) {
    DsmThread last = holders[lock];
    if (last != null && !last.isDead()) {
      violations.add(thread + " got lock " + lock + ", which " + last + " has");
    } else if (last != null && how == Acquired.RELEASED) {
      violations.add(thread + " got lock " + lock + " and was not told that " + last + " died with it");
    } else if (how == Acquired.HOLDER_LOST && !anyCrash) {
      violations.add(thread + " got lock " + lock + " and was told that its last holder was lost, but no node was");
    }
    holders[lock] = thread;
  }

  void onGiven(int lock, DsmThread thread) {
    if (holders[lock] == thread) {
      holders[lock] = null;
    }
  }

  void onCountBegun(int lock) {
    begun[lock]++;
  }

  void onCountDone(int lock) {
    done[lock]++;
  }

  /** A thread that ran after all others has read a lock's counter. */
  void onCounter(int lock, long value) {
    if (value < done[lock] || value > begun[lock] || !anyCrash && value != done[lock]) {
      violations.add("counter " + lock + " is " + value + ", after " + done[lock] + " additions under its lock, and " + (begun[lock] - done[lock])
          + " that failed");
    }
  }

  void onArrived(int round) {
    arrived[round]++;
  }

  void onLeft(int round, DsmThread thread) {
    if (arrived[round] != parties) {
      violations.add(thread + " left the barrier in round " + round + " when " + arrived[round] + " of " + parties + " threads had come");
    }
  }
}
