package dev.weft.pvfs.client;

import java.util.List;

/**
 * State of a client.
 *
 * @param tasks under way
 * @param sentBy requests by band, in the order of {@link dev.weft.pvfs.wire.Band}
 * @param bytesCopied by a processor instead of RDMA
 * @param errors failed tasks
 * @param badReads answers whose data differed from the checksum: each was repeated or ended with EIO
 * @param badWrites requests whose data differed from the checksum at the daemon: each was repeated or ended with EIO
 * @param registrations that tasks hold
 */
public record ClientSnapshot(List<Daemon> daemons, int tasks, long[] sentBy, long bytesRead, long bytesWritten, long bytesCopied, long errors,
    long badReads, long badWrites, int registrations) {

  /**
   * The connection to a daemon.
   *
   * @param hasLostAll the daemon keeps stripes in memory and was restarted since this client first reached it
   * @param why the reason why it is not up; empty if it is
   * @param credits requests that may be sent now
   * @param waiting requests that wait to be sent
   * @param sent requests without an answer
   * @param bands which band moves data of which length
   */
  public record Daemon(String node, String service, boolean isUp, boolean hasLostAll, String why, int credits, int waiting, int sent, long requests,
      long losses, String bands) {}
}
