package dev.weft.dsm.node;

import dev.weft.dsm.home.HomeCore;
import dev.weft.dsm.sharing.SharingReport;
import java.util.List;

/**
 * All that an operator may want to see of one node of shared memory, taken by its actor. Each list has at most as many entries as were asked for.
 *
 * @param node its counters
 * @param nodeName name of its node of the fabric
 * @param first name of the first node
 * @param lostNodes numbers of the nodes that were there and are no more
 * @param minipages those of this home, by state; null where that was not asked for
 * @param busy minipages of this home at which something is done or waits
 * @param sharing what this home has counted; null where that was not asked for
 * @param faults of this node's threads that wait now, the oldest first
 * @param locks that this node is the home of, or that threads of it wait for; those with the longest waits first
 * @param barriers that this node is the home of, or that threads of it wait at
 * @param conditions that threads of this node wait for
 */
public record DsmReport(DsmSnapshot node, String nodeName, String first, List<Integer> lostNodes, HomeCore.States minipages,
    List<Busy> busy, SharingReport sharing, List<FaultUnderWay> faults, List<Lock> locks, List<Barrier> barriers, List<Condition> conditions) {
  /**
   * A minipage at its home.
   *
   * @param what elements and array
   * @param serves what is done for whom
   * @param waiting further requests
   */
  public record Busy(String what, String serves, int waiting) {}

  /**
   * Threads that wait for a minipage.
   *
   * @param what elements and array
   * @param wants {@code read} or {@code write}
   * @param threads that wait
   * @param home node that was asked
   * @param ageMs of the oldest of them
   */
  public record FaultUnderWay(String what, String wants, int threads, int home, long ageMs) {}

  /**
   * A lock.
   *
   * @param home node that knows who has it
   * @param isHome whether this is that node; otherwise nothing is known here of the other nodes
   * @param holder node that has it, whether or not a thread of it holds it; -1 for none, or where it is not known
   * @param isHeldHere whether a thread of this node holds it
   * @param waitingNodes nodes that want it, in their order
   * @param waitingHere threads of this node that wait
   * @param waitMs of the oldest of these
   * @param holderLost whether the node that held it was lost, and nobody has acquired it since
   */
  public record Lock(String name, int home, boolean isHome, int holder, boolean isHeldHere, List<Integer> waitingNodes, int waitingHere, long waitMs,
      boolean holderLost) {}

  /**
   * A barrier.
   *
   * @param isHome whether this node counts who comes; otherwise only the threads of this node are known
   * @param rounds that are over
   * @param here threads that have come
   * @param missing nodes of which more threads came to the last round, and how many more
   * @param waitingHere threads of this node that wait
   * @param waitMs of the oldest of these
   * @param isBroken because a node was lost
   */
  public record Barrier(String name, long parties, int home, boolean isHome, long rounds, long here, List<Missing> missing, int waitingHere, long waitMs,
      boolean isBroken) {}

  /** Threads of a node that have not come. */
  public record Missing(int node, int threads) {}

  /** A condition, and the threads of this node that wait for it. */
  public record Condition(String name, int home, int waitingHere, long waitMs) {}
}
