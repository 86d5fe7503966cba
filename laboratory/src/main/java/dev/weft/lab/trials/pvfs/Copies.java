package dev.weft.lab.trials.pvfs;

import dev.weft.pvfs.client.ClientSnapshot;
import dev.weft.pvfs.files.PvfsFileSystem;
import java.util.List;

/** Bytes that clients have copied by processor, besides the one move by RDMA. */
record Copies(long copied) {
  static Copies of(Laboratory laboratory, List<PvfsFileSystem> clients) {
    long copied = 0;
    for (PvfsFileSystem client : clients) {
      ClientSnapshot state = laboratory.state(client);
      copied += state.bytesCopied();
    }
    return new Copies(copied);
  }

  /** Returns the copies at the client for each byte that was moved, plus the one by RDMA. For copies at daemons see {@code weft pvfs top}. */
  double since(Copies before, double movedBytes) {
    return 1 + (copied - before.copied) / movedBytes;
  }
}
