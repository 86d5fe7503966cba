package dev.weft.pvfs.manager;

import dev.weft.pvfs.Errno;
import dev.weft.pvfs.client.DataClient;
import dev.weft.pvfs.client.IoTask;
import dev.weft.pvfs.wire.DaemonOp;
import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;

/** By requests to the daemons, from the manager's node. */
final class DaemonEffects implements Effects {
  private static final long[] NONE = {};
  private static final MemorySegment[] NO_MEMORY = {};

  private final DataClient daemons;

  DaemonEffects(DataClient daemons) {
    this.daemons = daemons;
  }

  @Override
  public boolean begin(Intent intent, Listener listener) {
    boolean cuts = intent.kind() == Intent.Kind.TRUNCATE;
    long[] size = {intent.sizeBytes()};
    Consumer<IoTask> then = task -> {
      if (task.errno() == Errno.OK || task.errno() == Errno.ENOENT) { // Without the object there is nothing to do, now or later.
        listener.done(intent.id());
      } else {
        listener.failed(intent.id());
      }
    };
    DaemonOp op = cuts ? DaemonOp.TRUNCATE : DaemonOp.REMOVE;
    return daemons.begin(op, intent.inode(), intent.striping(), cuts ? size : NONE, cuts ? new long[1] : NONE, NO_MEMORY, then) != null;
  }

  @Override
  public void close() {
    daemons.end();
  }
}
