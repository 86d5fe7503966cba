package dev.weft.pager.server;

import java.util.List;

/**
 * The state of a memory server.
 *
 * @param memoryBytes memory lent altogether
 * @param freeBytes memory in no area
 * @param largestFreeBytes longest area that could be given
 * @param clients connected clients
 * @param requests requests served by operation, in the order of {@code PagerOp}
 * @param bytesRead bytes sent to clients
 * @param bytesWritten bytes fetched from clients, or come with their requests
 * @param inlineWrites writes whose data came with the request
 * @param rdmaOutstanding RDMA Reads and staged Writes under way
 * @param rdmaOutstandingMax most of them at a time
 * @param stagingFree staging buffers free
 * @param stagingWaiting requests waiting for one
 * @param refused clients refused
 * @param idle whether it has had no work for {@code idle-time}
 * @param idlePhases times that it became so
 * @param sleeps times that it stopped polling, armed its completion queue and went to sleep; 0 without a {@code poll-interval}
 * @param wakeups times that it was woken from that
 * @param completionEvents events of its completion queue
 * @param tripwireNotices times that a Tripwire told it of requests
 * @param keptAreas areas whose client is not connected now and may come back
 */
public record MemoryServerSnapshot(long memoryBytes, long freeBytes, long largestFreeBytes, List<Client> clients,
    List<Long> requests, long bytesRead, long bytesWritten, long inlineWrites, int rdmaOutstanding, int rdmaOutstandingMax, int stagingFree,
    int stagingWaiting, long refused, boolean idle, long idlePhases, long sleeps, long wakeups,
    long completionEvents, long tripwireNotices, int keptAreas) {

  /**
   * One client.
   *
   * @param areaStart start of its area in the lent memory
   * @param outstanding requests received and not answered
   * @param waiting requests that wait for room in the send queue
   */
  public record Client(String node, long areaStart, long areaBytes, long allocatedBytes, int credits, int outstanding,
      int waiting) {}
}
