package dev.weft.pvfs.client;

import java.util.List;

/**
 * State of a client.
 *
 * @param tasks under way
 * @param sentBy requests by band, as {@link dev.weft.pvfs.wire.Band} orders them
 * @param bytesCopied by a processor rather than by RDMA
 * @param errors tasks that failed
 * @param badReads answers whose data was not what the daemon had sent, by its checksum: each was asked for again, or ended with EIO
 * @param badWrites requests whose data was not what this client had sent, as the daemon found: each was sent again, or ended with EIO
 * @param registrations that tasks hold
 */
public record ClientSnapshot(List<Daemon> daemons, int tasks, long[] sentBy, long bytesRead, long bytesWritten, long bytesCopied, long errors,
    long badReads, long badWrites, int registrations) {

  /**
   * A connection.
   *
   * @param hasLostAll it keeps stripes in memory, and was started anew since this client reached it first
   * @param why it is not up; empty if it is
   * @param credits requests that may be sent now
   * @param waiting requests that wait to be sent
   * @param sent requests without an answer
   * @param bands by which data of which length moves
   */
  public record Daemon(String node, String service, boolean isUp, boolean hasLostAll, String why, int credits, int waiting, int sent, long requests,
      long losses, String bands) {}
}
