package dev.weft.pvfs.mount;

import dev.weft.pvfs.Errno;
import dev.weft.pvfs.client.DataClient;
import dev.weft.pvfs.fuse.AttributeChanges;
import dev.weft.pvfs.fuse.FuseReply;
import dev.weft.pvfs.layout.Striping;
import dev.weft.pvfs.wire.Caller;
import dev.weft.pvfs.wire.MetaOp;
import dev.weft.pvfs.wire.MetaReply;
import dev.weft.pvfs.wire.MetaRequest;

/** Changes attributes for the kernel. Any thread. */
final class AttributeChanger {
  private static final int SET_IDS = 06000;

  private final ManagerCalls calls;
  private final DataClient data;
  private final MetadataCache cache;
  private final OpenFiles open;
  private final AttributeView view;

  AttributeChanger(ManagerCalls calls, DataClient data, MetadataCache cache, OpenFiles open, AttributeView view) {
    this.calls = calls;
    this.data = data;
    this.cache = cache;
    this.open = open;
    this.view = view;
  }

  void set(long inode, AttributeChanges changes, FuseReply.Attributes reply) {
    long mask = bit(changes, AttributeChanges.MODE, MetaRequest.SET_MODE) | bit(changes, AttributeChanges.UID, MetaRequest.SET_UID)
        | bit(changes, AttributeChanges.GID, MetaRequest.SET_GID) | bit(changes, AttributeChanges.SIZE, MetaRequest.SET_BYTES)
        | (changes.has(AttributeChanges.SIZE) ? bit(changes, AttributeChanges.HANDLE, MetaRequest.SET_BY_HANDLE) : 0)
        | time(changes, AttributeChanges.ATIME, AttributeChanges.ATIME_NOW, MetaRequest.SET_ATIME, MetaRequest.SET_ATIME_NOW)
        | time(changes, AttributeChanges.MTIME, AttributeChanges.MTIME_NOW, MetaRequest.SET_MTIME, MetaRequest.SET_MTIME_NOW);
    MetaRequest request = calls.request(MetaOp.SETATTR, reply, inode, mask, changes.mode() & 07777, changes.uid(), changes.gid(), changes.sizeBytes(),
        changes.atimeNs(), changes.mtimeNs());
    int unreached = changes.has(AttributeChanges.SIZE) ? data.reach(inode, () -> striping(inode)) : Errno.OK;
    if (unreached != Errno.OK) {
      reply.fail(unreached);
      return;
    }
    BusyFiles.answer(reply, () -> change(request, changes, reply));
  }

  private int change(MetaRequest request, AttributeChanges changes, FuseReply.Attributes reply) {
    MetaReply answer = changes.has(AttributeChanges.MTIME | AttributeChanges.MTIME_NOW) ? askForTime(request) : calls.ask(request);
    if (answer.errno() == Errno.OK) {
      if (changes.has(AttributeChanges.SIZE)) {
        data.cutByManager(request.inode(), answer.attributes().striping());
      }
      reply.attributes(view.of(answer), cache.validNs(request.inode()));
    }
    return answer.errno();
  }

  /** Returns null if the manager does not answer. */
  private Striping striping(long inode) {
    MetadataCache.Known known = cache.inode(inode);
    if (known != null) {
      return known.attributes().striping();
    }
    MetaReply answer = calls.ask(MetaRequest.of(MetaOp.GETATTR, Caller.ROOT, inode));
    return answer.errno() == Errno.OK ? answer.attributes().striping() : null;
  }

  /** Sets times. A concurrent close would set the time of the write: it must come before, or know of this. */
  private MetaReply askForTime(MetaRequest request) {
    synchronized (open.closer(request.inode())) {
      MetaReply answer = calls.ask(request);
      OpenFiles.Writing writing = answer.errno() == Errno.OK ? open.writing(request.inode()) : null;
      if (writing != null) {
        writing.setTime();
      }
      return answer;
    }
  }

  private static long bit(AttributeChanges changes, int from, long to) {
    return changes.has(from) ? to : 0;
  }

  private static long time(AttributeChanges changes, int set, int now, long setTo, long setNow) {
    return changes.has(now) ? setTo | setNow : bit(changes, set, setTo);
  }

  /** Drops set-id bits of a changed file, so that it no longer runs with the rights of its owner. */
  int dropSetIds(long inode) {
    MetadataCache.Known remembered = cache.inode(inode);
    if (remembered != null && (remembered.attributes().mode() & SET_IDS) == 0) {
      return Errno.OK;
    }
    MetaReply known = calls.ask(MetaRequest.of(MetaOp.GETATTR, Caller.ROOT, inode));
    if (known.errno() != Errno.OK || (known.attributes().mode() & SET_IDS) == 0) {
      return known.errno();
    }
    int mode = known.attributes().mode() & 07777;
    int kept = mode & ~04000 & ((mode & 010) != 0 ? ~02000 : ~0);
    return mode == kept ? Errno.OK : calls.ask(MetaRequest.of(MetaOp.SETATTR, Caller.ROOT, inode, MetaRequest.SET_MODE, kept)).errno();
  }
}
