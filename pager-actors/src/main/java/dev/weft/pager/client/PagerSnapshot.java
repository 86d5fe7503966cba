package dev.weft.pager.client;

import java.util.List;

/**
 * The state of a device.
 *
 * @param sizeBytes size of the device
 * @param inFlight requests accepted and not completed
 * @param requests requests by operation, in the order of {@code PagerOp}
 * @param bytesRead bytes of completed reads
 * @param bytesWritten bytes of completed writes
 * @param errors requests that completed with an error
 * @param doorbells times that the client actor was woken for new requests
 * @param bursts times that it was woken for replies
 * @param burstMax most completions of one burst
 * @param completionEvents events of its completion queue
 * @param tripwireNotices times that a Tripwire told it of replies
 */
public record PagerSnapshot(long sizeBytes, PoolSnapshot pool, List<Server> servers, int inFlight, List<Long> requests,
    long bytesRead, long bytesWritten, long errors, long doorbells, long bursts, long burstMax,
    long completionEvents, long tripwireNotices) {

  /**
   * One server.
   *
   * @param areaStart first byte of the device that it holds
   * @param isUp whether it serves
   * @param state how its area stands
   * @param losses times that the connection to it was lost
   * @param why why it does not, or an empty text
   * @param creditsFree requests that may be sent now
   * @param creditsMax requests that it allows outstanding
   * @param outstanding requests sent and not answered
   * @param waiting requests that wait for a credit
   */
  public record Server(String node, String service, long areaStart, long areaBytes, boolean isUp, AreaState state, int losses, String why,
      int creditsFree, int creditsMax, int outstanding, int waiting) {}
}
