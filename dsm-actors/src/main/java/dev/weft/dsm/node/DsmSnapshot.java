package dev.weft.dsm.node;

import dev.weft.dsm.release.ReleaseCounts;
import java.util.List;

/**
 * The state of one node of shared memory.
 *
 * @param space name of the shared memory
 * @param number of this node
 * @param members numbers of the nodes that are there
 * @param arrays what is allocated
 * @param homeMinipages minipages that this node is home of
 * @param lostMinipages of these, those whose only copy is lost
 * @param homeRequests requests for them
 * @param homeForwards of these, served by an owner that was disturbed for it
 * @param homeFetches served by RDMA Read
 * @param homeInvalidations copies that were given up for them
 * @param readFaults faults of this node's threads that wanted to read
 * @param writeFaults faults that wanted to write
 * @param faultsWaiting faults that wait now
 * @param deferrals orders that waited for threads inside
 * @param graces of these, because a thread had not run since it was served
 * @param barriers memory barriers in all threads
 * @param messagesSent control messages to other nodes
 * @param messagesReceived control messages from other nodes
 * @param messagesRefused messages of other nodes that cannot be: malformed, or not theirs to say; their senders are taken for lost
 * @param bytesWritten data moved by RDMA Write
 * @param bytesRead data moved by RDMA Read
 * @param verbs work requests of the synchronous engine's faults
 * @param lockedOut how often such a fault found the directory entry locked by another node
 * @param served requests that this node was the home for and that were confirmed
 * @param hops messages between nodes that these waited for one after the other; a read by RDMA is two
 * @param homeMoves homes that went from this node to a writer
 * @param sentOn requests that looked here for a home that was elsewhere
 * @param activations messages that the node's actor has run: faults of its threads, completions, alarms, and what other nodes sent
 * @param release what it has done for arrays with release consistency; null until it is a member
 * @param group whether changes of these go to a multicast group: its LID, or why there is none
 */
public record DsmSnapshot(String space, int number, List<Integer> members, List<Array> arrays, int homeMinipages, int lostMinipages,
    long homeRequests, long homeForwards, long homeFetches, long homeInvalidations, long readFaults, long writeFaults, int faultsWaiting,
    long deferrals, long graces, long barriers, long messagesSent, long messagesReceived, long messagesRefused, long bytesWritten, long bytesRead, long verbs,
    long lockedOut, long served, long hops, long homeMoves, long sentOn, long activations,
    ReleaseCounts release, String group) {
  /**
   * An array.
   *
   * @param name what programs call it
   * @param shape elements and minipages
   */
  public record Array(String name, String shape) {}
}
