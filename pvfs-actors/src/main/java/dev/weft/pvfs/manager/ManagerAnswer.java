package dev.weft.pvfs.manager;

import dev.weft.pvfs.Errno;
import dev.weft.pvfs.wire.MetaOp;
import dev.weft.pvfs.wire.MetaReply;
import dev.weft.pvfs.wire.MetaRequest;
import java.util.Map;
import java.util.Set;

/**
 * An answer that is not sent yet.
 *
 * @param changed inodes that others may remember as they were
 * @param repeated what a manager before has done; null for what this one has
 * @param isSettled whether it stands, whatever becomes of the commit
 */
record ManagerAnswer(ManagerSession session, MetaRequest request, MetaReply reply, Set<Long> changed, MetadataHandler.Repeated repeated,
    boolean isSettled) {
  ManagerAnswer(ManagerSession session, MetaRequest request, MetaReply reply, Set<Long> changed) {
    this(session, request, reply, changed, null, false);
  }

  boolean isTo(ManagerSession asking, MetaRequest asked) {
    return session == asking && request.id() == asked.id();
  }

  /** Another answer to the same. */
  ManagerAnswer with(MetaReply other) {
    return new ManagerAnswer(session, request, other, changed, repeated, isSettled);
  }

  /**
   * The intent because of which it has to wait; null if it has not. A file that is cut must be before its writer goes on.
   *
   * @param cut files that are to be cut, by intent
   * @param held intents that others wait for already
   */
  Long heldBy(Map<Long, Long> cut, Set<Long> held) {
    if (repeated != null) {
      return repeated.intent() == KeptAnswer.NO_INTENT ? null : repeated.intent();
    }
    return cuts() ? cut.entrySet().stream().filter(one -> one.getValue() == request.inode() && !held.contains(one.getKey())).map(Map.Entry::getKey)
        .min(Long::compare).orElse(null) : null; // Answers and intents are in the same order.
  }

  /** Whether daemons have to cut a file before its writer goes on; not of what a manager before has done. */
  boolean cuts() {
    return repeated == null && request.cuts() && reply.errno() == Errno.OK;
  }

  /** It changed nothing that the store has, but what the manager has in memory, at once. */
  boolean isOfLock() {
    return switch (request.op()) {
      case LOCK, LOCK_TEST, LOCK_CANCEL -> true;
      default -> false;
    };
  }

  /** Whether its client learns from it what the inode is like. */
  boolean shows(long inode) {
    return request.op() == MetaOp.READDIR || reply.attributes() != null && reply.attributes().inode() == inode;
  }

  /** Whether an inode may be gone because of it. */
  boolean mayRemove() {
    return switch (request.op()) {
      case UNLINK, RMDIR, RENAME -> true;
      case CLOSE -> !isSettled; // Such a one has left a file that has a name.
      default -> false;
    };
  }

  /** Whether it changed nothing at all: it was done before, and opens nothing now. */
  boolean isOfBefore() {
    return repeated != null && reply.grant() == null;
  }

  /** As it may be said again later, when others may have changed what the client could remember at first. */
  MetaReply unleased() {
    boolean hasFlags = reply.attributes() != null || request.op() == MetaOp.READDIR || request.op() == MetaOp.LOOKUP;
    long leases = MetaReply.LEASED | MetaReply.PARENT_LEASED | MetaReply.SOLE;
    return !hasFlags || (reply.number() & leases) == 0 ? reply
        : new MetaReply(reply.id(), reply.errno(), reply.attributes(), reply.number() & ~leases, reply.value(), reply.grant());
  }
}
