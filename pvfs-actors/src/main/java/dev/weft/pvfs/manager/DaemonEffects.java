package dev.weft.pvfs.manager;

import dev.weft.pvfs.Errno;
import dev.weft.pvfs.client.DataClient;
import dev.weft.pvfs.client.IoTask;
import dev.weft.pvfs.wire.DaemonOp;
import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Carries out effects by requests to the daemons, from the manager's node. */
final class DaemonEffects implements Effects {
  private static final Logger LOG = LoggerFactory.getLogger(DaemonEffects.class);
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
      } else if (cuts && task.errno() == Errno.EFBIG && lengthen(intent, listener)) {
        LOG.warn("file {} cannot have {} bytes: that is too long for the disk of an I/O daemon", intent.inode(), intent.sizeBytes());
      } else {
        listener.failed(intent.id(), words(intent, task));
      }
    };
    DaemonOp op = cuts ? DaemonOp.TRUNCATE : DaemonOp.REMOVE;
    return daemons.begin(op, intent.inode(), intent.striping(), cuts ? size : NONE, cuts ? new long[1] : NONE, NO_MEMORY, then) != null;
  }

  /** Some daemons may have extended the file: the client gets an error and the resulting length. */
  private boolean lengthen(Intent intent, Listener listener) {
    return daemons.begin(DaemonOp.STAT, intent.inode(), intent.striping(), NONE, NONE, NO_MEMORY, task -> {
      if (task.errno() == Errno.OK) {
        listener.refused(intent.id(), Errno.EFBIG, task.fileBytes());
      } else {
        listener.failed(intent.id(), words(intent, task));
      }
    }) != null;
  }

  private static String words(Intent intent, IoTask task) {
    return "to " + (intent.kind() == Intent.Kind.TRUNCATE ? "cut" : "remove") + " file " + intent.inode() + " has failed (" + Errno.name(task.errno()) + ")";
  }

  @Override
  public void close() {
    daemons.end();
  }
}
