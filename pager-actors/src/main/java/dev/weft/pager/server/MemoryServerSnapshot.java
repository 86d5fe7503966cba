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
 * @param asleep whether the server sleeps
 * @param sleeps times that it went to sleep
 * @param wakeups times that it was woken
 * @param completionEvents events of its completion queue
 * @param tripwireNotices times that a Tripwire told it of requests
 */
public record MemoryServerSnapshot(long memoryBytes, long freeBytes, long largestFreeBytes, List<Client> clients,
    List<Long> requests, long bytesRead, long bytesWritten, long inlineWrites, int rdmaOutstanding, int rdmaOutstandingMax, int stagingFree,
    int stagingWaiting, long refused, boolean asleep, long sleeps, long wakeups,
    long completionEvents, long tripwireNotices) {

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
