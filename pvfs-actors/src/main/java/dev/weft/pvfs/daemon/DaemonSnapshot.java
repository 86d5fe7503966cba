package dev.weft.pvfs.daemon;

import java.util.List;

/**
 * State of an I/O daemon.
 *
 * @param memoryBytes for stripes
 * @param freeBytes of these
 * @param objects local objects that there are
 * @param requests by operation, as {@link dev.weft.pvfs.wire.DaemonOp} orders them
 * @param bands reads and writes by band, as {@link dev.weft.pvfs.wire.Band} orders them
 * @param bandBytes of these, as many as were asked for
 * @param busiest objects of which something was moved often or just now
 * @param bytesCopied by a processor rather than by RDMA
 * @param moving operations whose data is under way
 * @param starving operations that wait for memory
 * @param lent buffers that clients have which move data themselves
 * @param refused connections and messages that were none
 */
public record DaemonSnapshot(long memoryBytes, long freeBytes, int objects, List<Client> clients, List<Long> requests, List<Long> bands,
    List<Long> bandBytes, List<Busy> busiest, long bytesRead, long bytesWritten, long bytesCopied, int moving, int starving, int lent,
    long refused) {

  /**
   * A connection.
   *
   * @param credits requests that it may have under way
   * @param underWay that it has
   * @param requests so far
   */
  public record Client(String node, int credits, int underWay, long requests) {}

  /** What was moved of a file's part at this daemon. */
  public record Busy(long object, long requests, long bytes) {}
}
