package dev.weft.pvfs.meta;

import dev.weft.pvfs.Errno;
import dev.weft.pvfs.client.Grants;
import dev.weft.pvfs.wire.Caller;
import dev.weft.pvfs.wire.MetaArguments;
import dev.weft.pvfs.wire.MetaOp;
import dev.weft.pvfs.wire.MetaReply;
import dev.weft.pvfs.wire.MetaRequest;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The files that this client has open at the manager, so that it can report them to a restarted one. Bound: the files that the manager lets a client
 * open. One thread.
 */
final class OpenTable {
  private static final int WRITE = 2;

  private static final class Held {
    int count;
    int writers;
    int access;
  }

  private final Map<Long, Held> open = new HashMap<>();
  private final Grants grants;

  /** @param grants gets the capabilities of open files */
  OpenTable(Grants grants) {
    this.grants = grants;
  }

  /** Takes an answer of the manager. */
  void answered(MetaRequest request, MetaReply reply) {
    if (reply.errno() != Errno.OK) {
      if (request.op() == MetaOp.RECLAIM) {
        open.remove(request.inode());
        grants.remove(request.inode());
      }
      return;
    }
    if (reply.grant() != null && reply.attributes() != null) {
      grants.put(reply.attributes().inode(), reply.grant());
    }
    int access = accessOf(request);
    if (access != 0) {
      Held held = open.computeIfAbsent(reply.attributes().inode(), _ -> new Held());
      held.count++;
      held.writers += (access & WRITE) != 0 ? 1 : 0;
      held.access |= access;
    } else if (request.op() == MetaOp.CLOSE) {
      closed(request);
    }
  }

  private void closed(MetaRequest request) {
    Held held = open.get(request.inode());
    if (held != null) {
      held.count--;
      MetaArguments.Close close = MetaArguments.Close.of(request);
      held.writers = Math.max(0, held.writers - (close.wasWritable() ? 1 : 0));
      held.access &= close.unmaps() ? (int) ~MetaRequest.MAPS : -1;
      if (held.count <= 0) {
        open.remove(request.inode());
        grants.remove(request.inode());
      }
    }
  }

  /** Returns the access with which a request opens a file; 0 if it opens none. */
  static int accessOf(MetaRequest request) {
    return switch (request.op()) {
      case OPEN -> MetaArguments.Open.of(request).opens();
      case CREATE -> MetaArguments.Create.of(request).opens();
      default -> 0;
    };
  }

  /** Returns the close for a file that a request has opened. */
  static MetaRequest closing(MetaRequest request, MetaReply reply) {
    return MetaRequest.of(MetaOp.CLOSE, Caller.ROOT, reply.attributes().inode(), MetaRequest.NOT_WRITTEN,
        (accessOf(request) & MetaRequest.MAPS) != 0 ? MetaRequest.UNMAPS : (accessOf(request) & WRITE) != 0 ? 1 : 0, 0);
  }

  /** Returns the same close for a later time: its length may be outdated by then, so the daemons must be asked. */
  static MetaRequest closingAgain(MetaRequest request) {
    MetaArguments.Close close = MetaArguments.Close.of(request);
    long bytes = close.bytes() == MetaRequest.NOT_WRITTEN ? MetaRequest.NOT_WRITTEN : MetaRequest.UNKNOWN_LENGTH;
    return MetaRequest.of(MetaOp.CLOSE, Caller.ROOT, request.inode(), bytes, close.was(), 1, 0);
  }

  List<MetaRequest> reclaims() {
    List<MetaRequest> all = new ArrayList<>();
    open.forEach((inode, held) -> {
      byte[] capability = grants.last(inode);
      MetaRequest request = MetaRequest.of(MetaOp.RECLAIM, Caller.ROOT, inode, held.access, held.count, held.writers);
      all.add(capability == null ? request : request.withValue(capability));
    });
    return all;
  }

  int size() {
    return open.size();
  }
}
