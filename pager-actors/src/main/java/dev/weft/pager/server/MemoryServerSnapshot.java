package dev.weft.pager.server;

import java.util.List;

/**
 * The state of a memory server.
 *
 * @param memoryBytes total memory for lending
 * @param freeBytes memory that is not in an area
 * @param largestFreeBytes size of the largest area that could be lent
 * @param clients connected clients
 * @param requests number of served requests by operation, in the order of {@code PagerOp}
 * @param bytesRead bytes sent to clients
 * @param bytesWritten bytes read from clients or received with their requests
 * @param inlineWrites number of writes that came with their data
 * @param rdmaOutstanding number of outstanding RDMA Reads and staged Writes
 * @param rdmaOutstandingMax largest value of that number
 * @param stagingFree number of free staging buffers
 * @param stagingWaiting number of requests that wait for a staging buffer
 * @param refused number of rejected clients
 * @param idle whether it has had no work for {@code idle-time}
 * @param idlePhases how often it became idle
 * @param sleeps how often it stopped polling, armed its completion queue and went to sleep; 0 without a {@code poll-interval}
 * @param wakeups how often an event woke it from that sleep
 * @param completionEvents number of notifications of its completion queue
 * @param tripwireNotices how often a Tripwire notified it of requests
 * @param keptAreas number of areas whose client is not connected and may reconnect
 */
public record MemoryServerSnapshot(long memoryBytes, long freeBytes, long largestFreeBytes, List<Client> clients,
    List<Long> requests, long bytesRead, long bytesWritten, long inlineWrites, int rdmaOutstanding, int rdmaOutstandingMax, int stagingFree,
    int stagingWaiting, long refused, boolean idle, long idlePhases, long sleeps, long wakeups,
    long completionEvents, long tripwireNotices, int keptAreas) {

  /**
   * One client.
   *
   * @param areaStart start of its area in the lent memory
   * @param outstanding number of requests that are received and not answered
   * @param waiting number of requests that wait for room in the send queue
   */
  public record Client(String node, long areaStart, long areaBytes, long allocatedBytes, int credits, int outstanding,
      int waiting) {}
}
