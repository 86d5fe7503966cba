package dev.weft.pvfs.manager;

import dev.weft.pvfs.Errno;
import dev.weft.pvfs.client.DataClient;
import dev.weft.pvfs.client.IoTask;
import dev.weft.pvfs.wire.DaemonOp;
import java.lang.foreign.MemorySegment;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** By requests to the daemons, from the manager's node. */
final class DaemonEffects implements Effects {
  private static final Logger LOG = LoggerFactory.getLogger(DaemonEffects.class);
  private static final long[] NONE = {};
  private static final MemorySegment[] NO_MEMORY = {};

  private final DataClient daemons;
  /** That were complained of. */
  private final Set<Long> failing = ConcurrentHashMap.newKeySet();

  DaemonEffects(DataClient daemons) {
    this.daemons = daemons;
  }

  @Override
  public boolean begin(Intent intent, Listener listener) {
    boolean cuts = intent.kind() == Intent.Kind.TRUNCATE;
    long[] size = {intent.sizeBytes()};
    Consumer<IoTask> then = task -> {
      if (task.errno() == Errno.OK || task.errno() == Errno.ENOENT) { // Without the object there is nothing to do, now or later.
        failing.remove(intent.id());
        listener.done(intent.id());
      } else if (cuts && task.errno() == Errno.EFBIG && lengthen(intent, listener)) {
        LOG.warn("file {} cannot have {} bytes: that is too long for the disk of an I/O daemon", intent.inode(), intent.sizeBytes());
      } else {
        if (task.errno() != Errno.ESHUTDOWN && failing.add(intent.id())) {
          LOG.warn("to {} file {} has failed ({}), and is tried until it is done", cuts ? "cut" : "remove", intent.inode(), Errno.name(task.errno()));
        }
        listener.failed(intent.id());
      }
    };
    DaemonOp op = cuts ? DaemonOp.TRUNCATE : DaemonOp.REMOVE;
    return daemons.begin(op, intent.inode(), intent.striping(), cuts ? size : NONE, cuts ? new long[1] : NONE, NO_MEMORY, then) != null;
  }

  /** Some daemons may have done it: who asked for it learns the length that has come of it. */
  private boolean lengthen(Intent intent, Listener listener) {
    return daemons.begin(DaemonOp.STAT, intent.inode(), intent.striping(), NONE, NONE, NO_MEMORY, task -> {
      if (task.errno() == Errno.OK) {
        failing.remove(intent.id());
        listener.refused(intent.id(), Errno.EFBIG, task.fileBytes());
      } else {
        listener.failed(intent.id());
      }
    }) != null;
  }

  @Override
  public void close() {
    daemons.end();
  }
}
