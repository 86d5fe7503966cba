package dev.weft.pvfs.daemon;

import java.util.List;

/**
 * State of an I/O daemon.
 *
 * @param memoryBytes for stripes; of its disk, if it has one
 * @param freeBytes free ones of these
 * @param objects number of local objects
 * @param requests by operation, in the order of {@link dev.weft.pvfs.wire.DaemonOp}
 * @param bands reads and writes by band, in the order of {@link dev.weft.pvfs.wire.Band}
 * @param bandBytes bytes of these, as requested
 * @param busiest objects with the most or the latest traffic
 * @param bytesCopied by a processor instead of RDMA
 * @param moving operations whose data is moving
 * @param starving operations that wait for memory
 * @param lent buffers lent to clients that move data themselves
 * @param refused connections, and invalid messages
 * @param cutOff writes that ended with their connection after some data had arrived: the client repeats them
 * @param repeated requests that were done before, and were answered again
 * @param badWrites writes whose data differed from its checksum: they were not done, or partly, and the client got an error
 * @param disk null for stripes in memory
 */
public record DaemonSnapshot(long memoryBytes, long freeBytes, int objects, List<Client> clients, List<Long> requests, List<Long> bands,
    List<Long> bandBytes, List<Busy> busiest, long bytesRead, long bytesWritten, long bytesCopied, int moving, int starving, int lent,
    long refused, long cutOff, long repeated, long badWrites, Disk disk) {

  /**
   * State of stripes in a directory.
   *
   * @param zones buffers between network and disk
   * @param zonesUsed used ones of these
   * @param zonesUsedMax highest number used so far
   * @param queue jobs at the disk, or waiting for it
   * @param bytesRead from the disk; whole blocks if they had to be checked
   * @param bytesCopied by a processor, for ranges that are not whole blocks
   * @param syncs of objects
   * @param marks how often a write waited for the durable mark of clean blocks that change
   * @param checksumErrors blocks that differ from what was written
   * @param errors of the disk
   */
  public record Disk(String directory, int zones, int zonesUsed, int zonesUsedMax, int queue, long bytesRead, long bytesWritten, long bytesCopied, long syncs,
      long marks, long checksumErrors, long errors) {}

  /**
   * A connection.
   *
   * @param credits requests that it may have under way
   * @param underWay requests that it has under way
   * @param requests so far
   */
  public record Client(String node, int credits, int underWay, long requests) {}

  /** Traffic of a file's local object at this daemon. */
  public record Busy(long object, long requests, long bytes) {}
}
