package dev.weft.lab.sim.dsm;

import dev.weft.dsm.access.Rights;
import dev.weft.lab.kit.Violations;
import java.util.List;

/**
 * Checks the rights of all nodes after each message: one node may write a minipage, or several may read it. Also checks that a dying node loses only
 * minipages that it may lose.
 */
final class RightsCheck {
  private final List<SharedArray> arrays;
  private final List<DsmHost> hosts;
  private final Violations violations;
  /** By array and minipage: whether the minipage must still exist. */
  private final boolean[][] kept;
  private final boolean areHomesMoving;
  private boolean haveHomesMoved;

  RightsCheck(List<SharedArray> arrays, List<DsmHost> hosts, Violations violations, boolean areHomesMoving) {
    this.areHomesMoving = areHomesMoving;
    this.arrays = arrays;
    this.hosts = hosts;
    this.violations = violations;
    kept = new boolean[arrays.size()][];
    for (int i = 0; i < kept.length; i++) {
      kept[i] = new boolean[arrays.get(i).minipages()];
      java.util.Arrays.fill(kept[i], true);
    }
  }

  /** After each message. */
  void look() {
    for (SharedArray array : arrays) {
      for (int minipage = 0; minipage < array.minipages(); minipage++) {
        look(array, minipage);
      }
    }
  }

  private void look(SharedArray array, int minipage) {
    int writers = 0;
    int readers = 0;
    for (DsmHost host : hosts) {
      byte rights = rights(host, array, minipage);
      writers += rights == Rights.WRITE ? 1 : 0;
      readers += rights == Rights.READ ? 1 : 0;
    }
    if (writers > 1 || writers == 1 && readers > 0) {
      violations.add("minipage " + minipage + " of " + array.name() + " may be written by " + writers + " nodes and read by " + readers
          + " others: " + hosts.stream().map(host -> host.name + ": " + rights(host, array, minipage)).toList());
    }
  }

  private static byte rights(DsmHost host, SharedArray array, int minipage) {
    return host.space == null || host.isDead ? Rights.NONE : host.space.rights(array.name(), minipage);
  }

  /**
   * A node is about to die. Minipages that only it has, or may be about to write, are lost with it; if it is the home, also those that any node is
   * about to take.
   */
  void onCrash(DsmHost dying) {
    for (int i = 0; i < kept.length; i++) {
      SharedArray array = arrays.get(i);
      for (int minipage = 0; minipage < array.minipages(); minipage++) {
        kept[i][minipage] &= survives(dying, i, array, minipage);
      }
    }
    haveHomesMoved = true;
  }

  private boolean survives(DsmHost dying, int index, SharedArray array, int minipage) {
    boolean hasOther = false;
    for (DsmHost host : hosts) {
      hasOther |= host != dying && !host.isLeaving && rights(host, array, minipage) != Rights.NONE;
    }
    boolean isFirstHome = dying.space != null && dying.space.homeOf(array.name(), minipage) == dying.space.node();
    boolean isHome = areHomesMoving || haveHomesMoved || isFirstHome;
    boolean isTaken = isHome ? hosts.stream().anyMatch(host -> host.isWriting(index, minipage)) : dying.isWriting(index, minipage);
    return hasOther && dying.space != null && rights(dying, array, minipage) != Rights.WRITE && !isTaken;
  }

  /** A node leaves, and other nodes become homes. */
  void onLeave() {
    haveHomesMoved = true;
  }

  /** A node has gone without giving everything away. */
  void onAllMayBeLost() {
    for (boolean[] each : kept) {
      java.util.Arrays.fill(each, false);
    }
  }

  /** A thread learned that elements are lost. */
  void onLost(DsmThread thread, Step step, String why) {
    SharedArray array = arrays.get(step.object());
    boolean mayBe = false;
    for (int minipage = 0; minipage < array.minipages(); minipage++) {
      mayBe |= !kept[step.object()][minipage] && array.isIn(minipage, step.index(), step.count());
    }
    if (!mayBe) {
      violations.add(thread + " was told that " + step.count() + " elements from " + step.index() + " of " + array.name()
          + " are lost, but no node that died had them: " + why);
    }
  }
}
