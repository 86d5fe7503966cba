package dev.weft.pager.client;

import java.util.List;

/**
 * The state of a device.
 *
 * @param sizeBytes size of the device
 * @param inFlight number of requests that are accepted and not completed
 * @param requests number of requests by operation, in the order of {@code PagerOp}
 * @param bytesRead bytes of completed reads
 * @param bytesWritten bytes of completed writes
 * @param errors number of requests that completed with an error
 * @param doorbells how often the client actor was woken for new requests
 * @param bursts how often it was woken for replies
 * @param burstMax largest number of completions in one burst
 * @param completionEvents number of notifications of its completion queue
 * @param tripwireNotices how often a Tripwire notified it of replies
 */
public record PagerSnapshot(long sizeBytes, PoolSnapshot pool, List<Server> servers, int inFlight, List<Long> requests,
    long bytesRead, long bytesWritten, long errors, long doorbells, long bursts, long burstMax,
    long completionEvents, long tripwireNotices) {

  /**
   * One server.
   *
   * @param areaStart first byte of the device that it holds
   * @param isUp whether it serves its area
   * @param state the state of its area
   * @param losses how often the connection to it was lost
   * @param why the reason why it does not serve its area; empty if it does
   * @param creditsFree number of requests that may be sent now
   * @param creditsMax number of outstanding requests that it allows
   * @param outstanding number of requests that are sent and not answered
   * @param waiting number of requests that wait for a credit
   */
  public record Server(String node, String service, long areaStart, long areaBytes, boolean isUp, AreaState state, int losses, String why,
      int creditsFree, int creditsMax, int outstanding, int waiting) {}
}
