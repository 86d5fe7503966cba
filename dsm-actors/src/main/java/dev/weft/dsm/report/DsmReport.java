package dev.weft.dsm.report;

import dev.weft.dsm.home.HomeCore;
import dev.weft.dsm.sharing.SharingReport;
import java.util.List;

/**
 * The detailed state of one node of shared memory for operators, taken by its actor. No list is longer than requested.
 *
 * @param node its counters
 * @param nodeName name of its node of the fabric
 * @param first name of the first node
 * @param lostNodes numbers of the nodes that were lost or have left
 * @param minipages minipages of this home, by state; null if not requested
 * @param busy minipages of this home with running or waiting requests
 * @param sharing counters of this home; null if not requested
 * @param faults present faults of this node's threads, the oldest first
 * @param locks locks whose home is this node, or that its threads wait for; the longest waits first
 * @param barriers barriers whose home is this node, or that its threads wait at
 * @param conditions conditions that threads of this node wait for
 */
public record DsmReport(DsmSnapshot node, String nodeName, String first, List<Integer> lostNodes, HomeCore.States minipages,
    List<Busy> busy, SharingReport sharing, List<FaultUnderWay> faults, List<Lock> locks, List<Barrier> barriers, List<Condition> conditions) {
  /**
   * A minipage at its home.
   *
   * @param what elements and array
   * @param serves the request that is served now
   * @param waiting number of further requests
   */
  public record Busy(String what, String serves, int waiting) {}

  /**
   * Threads that wait for a minipage.
   *
   * @param what elements and array
   * @param wants {@code read} or {@code write}
   * @param threads number of waiting threads
   * @param home node that was asked
   * @param ageMs wait of the oldest of them, in milliseconds
   */
  public record FaultUnderWay(String what, String wants, int threads, int home, long ageMs) {}

  /**
   * A lock.
   *
   * @param home node that records the holder
   * @param isHome whether this node is the home; otherwise nothing is known here of the other nodes
   * @param holder node that has the lock, whether or not a thread of it holds it; -1 if none or unknown
   * @param isHeldHere whether a thread of this node holds it
   * @param waitingNodes nodes that want it, in order
   * @param waitingHere number of waiting threads of this node
   * @param waitMs wait of the oldest of these, in milliseconds
   * @param holderLost whether the holder was lost, and no thread has acquired the lock since
   */
  public record Lock(String name, int home, boolean isHome, int holder, boolean isHeldHere, List<Integer> waitingNodes, int waitingHere, long waitMs,
      boolean holderLost) {}

  /**
   * A barrier.
   *
   * @param isHome whether this node is the home; otherwise only the threads of this node are known
   * @param rounds completed rounds
   * @param here threads that have reached the barrier
   * @param missing nodes with fewer threads here than in the last round, and how many fewer
   * @param waitingHere number of waiting threads of this node
   * @param waitMs wait of the oldest of these, in milliseconds
   * @param isBroken whether a lost node has broken it
   */
  public record Barrier(String name, long parties, int home, boolean isHome, long rounds, long here, List<Missing> missing, int waitingHere, long waitMs,
      boolean isBroken) {}

  /** The missing threads of a node. */
  public record Missing(int node, int threads) {}

  /** A condition, and the threads of this node that wait for it. */
  public record Condition(String name, int home, int waitingHere, long waitMs) {}
}
