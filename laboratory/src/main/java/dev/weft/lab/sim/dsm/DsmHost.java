package dev.weft.lab.sim.dsm;

import dev.weft.dsm.Consistency;
import dev.weft.dsm.DsmBarrier;
import dev.weft.dsm.DsmCondition;
import dev.weft.dsm.DsmLock;
import dev.weft.dsm.SharedInts;
import dev.weft.dsm.SharedLongs;
import dev.weft.dsm.node.DsmNode;
import dev.weft.fabric.time.VirtualSystem;
import dev.weft.lab.kit.Fault;
import dev.weft.lab.kit.RunHost;
import java.util.ArrayList;
import java.util.List;

/** A node of a run. */
final class DsmHost extends RunHost {
  /** Null until it has joined. */
  DsmNode space;
  boolean isDead;
  /** Its threads have been started, or never will be. */
  boolean isSettled;
  /** Whether it must leave when its threads are done, is about to leave, and has left. */
  boolean mustLeave;
  boolean isLeaving;
  boolean hasLeft;
  final List<DsmThread> threads = new ArrayList<>();
  final List<SharedLongs> arrays = new ArrayList<>();
  final List<DsmLock> locks = new ArrayList<>();
  final List<DsmCondition> conditions = new ArrayList<>();
  DsmBarrier barrier;
  /** With release consistency: the words of locks, and the threads' own elements. */
  SharedLongs released;
  SharedInts ownElements;

  DsmHost(int index) {
    super(index, "n" + index);
  }

  /** Finds all objects that threads use. */
  void open(DsmScenario scenario, ReleaseCheck release) {
    if (scenario.isReleased()) {
      released = space.longs("released", release.words(), release.unit(), Consistency.RELEASE);
      ownElements = space.ints("own", release.elements(), release.unit(), Consistency.RELEASE);
    }
    for (SharedArray array : scenario.arrays()) {
      arrays.add(space.longs(array.name(), array.length(), array.unit()));
    }
    for (int i = 0; i < scenario.locks(); i++) {
      locks.add(space.lock("lock-" + i));
      conditions.add(space.condition("condition-" + i, locks.get(i)));
    }
    barrier = space.barrier("barrier", scenario.threads());
  }

  /** Whether this node's threads have ended. */
  boolean isDone() {
    return isDead || areThreadsDone() && (!mustLeave || hasLeft);
  }

  boolean areThreadsDone() {
    if (!isSettled) {
      return false;
    }
    for (DsmThread thread : threads) {
      if (!thread.isDone()) {
        return false;
      }
    }
    return true;
  }

  /** Whether one of its threads may be about to write a minipage of an array. */
  boolean isWriting(int array, int minipage) {
    return threads.stream().anyMatch(thread -> thread.isWriting(array, minipage));
  }

  /** A fault begins; its cable and its death are handled elsewhere. */
  void begin(Fault fault, VirtualSystem system) {
    switch (fault.kind()) {
      case SLOW_SERVER -> system.slow(rolePath(), fault.amount());
      case PAUSE -> pause(system);
      case CONNECTION_LOSS, SERVER_RESTART, DISK -> throw new IllegalStateException(fault + " is not known here");
      case SERVER_CRASH, CLIENT_CRASH, LATENCY, PARTITION, LOSS, DUPLICATION, REORDERING, CORRUPTION -> { }
    }
  }

  /** A fault ends. */
  void end(Fault fault, VirtualSystem system) {
    switch (fault.kind()) {
      case SLOW_SERVER -> system.resume(rolePath());
      case PAUSE -> goOn(system);
      case SERVER_CRASH, CLIENT_CRASH -> throw new IllegalStateException("dead nodes stay dead");
      case CONNECTION_LOSS, SERVER_RESTART, DISK -> throw new IllegalStateException(fault + " is not known here");
      case LATENCY, PARTITION, LOSS, DUPLICATION, REORDERING, CORRUPTION -> { }
    }
  }

  String rolePath() {
    return space.actor().path().toStringWithoutAddress();
  }
}
