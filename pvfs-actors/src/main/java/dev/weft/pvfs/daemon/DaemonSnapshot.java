package dev.weft.pvfs.daemon;

import java.util.List;

/**
 * State of an I/O daemon.
 *
 * @param memoryBytes for stripes; of its disk, if it has one
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
 * @param cutOff writes of which some data was there when their connection was lost: their client has it written again
 * @param repeated requests that had been done already, and were answered again
 * @param badWrites whose data was not what the client had sent, by its checksum: they were not done, or in part, and the client was told
 * @param disk null if stripes lie in memory
 */
public record DaemonSnapshot(long memoryBytes, long freeBytes, int objects, List<Client> clients, List<Long> requests, List<Long> bands,
    List<Long> bandBytes, List<Busy> busiest, long bytesRead, long bytesWritten, long bytesCopied, int moving, int starving, int lent,
    long refused, long cutOff, long repeated, long badWrites, Disk disk) {

  /**
   * Stripes in a directory.
   *
   * @param zones buffers between network and disk
   * @param zonesUsed of these
   * @param zonesUsedMax most that ever were
   * @param queue jobs that the disk has, or that wait for it
   * @param bytesRead from the disk, whole blocks where they had to be checked
   * @param bytesCopied by a processor, of ranges that are no whole blocks
   * @param syncs of objects
   * @param marks times that a write waited until it was written down that clean blocks change
   * @param checksumErrors blocks that were not what was written
   * @param errors that the disk gave
   */
  public record Disk(String directory, int zones, int zonesUsed, int zonesUsedMax, int queue, long bytesRead, long bytesWritten, long bytesCopied, long syncs,
      long marks, long checksumErrors, long errors) {}

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
