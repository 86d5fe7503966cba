package dev.weft.dsm.report;

import dev.weft.dsm.release.ReleaseCounts;
import java.util.List;

/**
 * The state of one node of shared memory.
 *
 * @param space name of the shared memory
 * @param number number of this node
 * @param members numbers of the present nodes
 * @param arrays allocated arrays
 * @param homeMinipages minipages whose home this node is
 * @param lostMinipages of these, minipages without a copy
 * @param homeRequests requests for them
 * @param homeForwards requests served by an owner that had to send the data
 * @param homeFetches requests served by RDMA Read
 * @param homeInvalidations copies that nodes gave up for these requests
 * @param readFaults faults of this node's threads that wanted to read
 * @param writeFaults faults that wanted to write
 * @param faultsWaiting faults that wait now
 * @param deferrals orders that waited for threads inside
 * @param graces of these, orders that waited because a thread had not run since it got the minipage
 * @param barriers memory barriers in all threads
 * @param messagesSent control messages to other nodes
 * @param messagesReceived control messages from other nodes
 * @param messagesRefused malformed or illegal messages of other nodes; their senders are taken for lost
 * @param bytesWritten data moved by RDMA Write
 * @param bytesRead data moved by RDMA Read
 * @param verbs work requests of the synchronous engine's faults
 * @param lockedOut how often such a fault found the directory entry locked by another node
 * @param served confirmed requests of this home
 * @param hops messages in sequence that these waited for; a read by RDMA counts two
 * @param homeMoves homes that moved from this node to a writer
 * @param sentOn requests that this node passed on to another home
 * @param activations messages that the node's actor has handled: faults of its threads, completions, alarms, and messages of other nodes
 * @param release counters of release consistency; null until the node is a member
 * @param group LID of the multicast group for release consistency, or why there is none
 */
public record DsmSnapshot(String space, int number, List<Integer> members, List<Array> arrays, int homeMinipages, int lostMinipages,
    long homeRequests, long homeForwards, long homeFetches, long homeInvalidations, long readFaults, long writeFaults, int faultsWaiting,
    long deferrals, long graces, long barriers, long messagesSent, long messagesReceived, long messagesRefused, long bytesWritten, long bytesRead, long verbs,
    long lockedOut, long served, long hops, long homeMoves, long sentOn, long activations,
    ReleaseCounts release, String group) {
  /**
   * An array.
   *
   * @param name its name in programs
   * @param shape elements and minipages
   */
  public record Array(String name, String shape) {}
}
