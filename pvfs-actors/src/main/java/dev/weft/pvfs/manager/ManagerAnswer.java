package dev.weft.pvfs.manager;

import dev.weft.pvfs.Errno;
import dev.weft.pvfs.wire.MetaOp;
import dev.weft.pvfs.wire.MetaReply;
import dev.weft.pvfs.wire.MetaRequest;
import java.util.Map;
import java.util.Set;

/**
 * An answer that has not been sent.
 *
 * @param changed inodes that others may have cached in their old state
 * @param repeated the work of a previous manager; null if this one has done it
 * @param isSettled whether it is valid whatever happens to the commit
 */
record ManagerAnswer(ManagerSession session, MetaRequest request, MetaReply reply, Set<Long> changed, MetadataHandler.Repeated repeated,
    boolean isSettled) {
  ManagerAnswer(ManagerSession session, MetaRequest request, MetaReply reply, Set<Long> changed) {
    this(session, request, reply, changed, null, false);
  }

  boolean isTo(ManagerSession asking, MetaRequest asked) {
    return session == asking && request.id() == asked.id();
  }

  /** Returns another answer to the same request. */
  ManagerAnswer with(MetaReply other) {
    return new ManagerAnswer(session, request, other, changed, repeated, isSettled);
  }

  /**
   * Returns the intent that the answer must wait for; null if there is none. A file must be cut before its writer continues.
   *
   * @param cut files to be cut, by intent
   * @param held intents that other answers wait for already
   */
  Long heldBy(Map<Long, Long> cut, Set<Long> held) {
    if (repeated != null) {
      return repeated.intent() == KeptAnswer.NO_INTENT ? null : repeated.intent();
    }
    return cuts() ? cut.entrySet().stream().filter(one -> one.getValue() == request.inode() && !held.contains(one.getKey())).map(Map.Entry::getKey)
        .min(Long::compare).orElse(null) : null; // Answers and intents have the same order.
  }

  /** Whether daemons must cut a file before its writer continues; not for the work of a previous manager. */
  boolean cuts() {
    return repeated == null && request.cuts() && reply.errno() == Errno.OK;
  }

  /** Whether it changed nothing in the store, but took effect in the manager's memory at once. */
  boolean isOfLock() {
    return switch (request.op()) {
      case LOCK, LOCK_TEST, LOCK_CANCEL -> true;
      default -> false;
    };
  }

  /** Whether its client learns the state of the inode from it. */
  boolean shows(long inode) {
    return request.op() == MetaOp.READDIR || reply.attributes() != null && reply.attributes().inode() == inode;
  }

  /** Whether the operation may have removed an inode. */
  boolean mayRemove() {
    return switch (request.op()) {
      case UNLINK, RMDIR, RENAME -> true;
      case CLOSE -> !isSettled; // A settled close leaves a file that has a name.
      default -> false;
    };
  }

  /** Whether it changed nothing: it was done before, and opens nothing now. */
  boolean isOfBefore() {
    return repeated != null && reply.grant() == null;
  }

  /** Returns it without leases, for a later repetition: others may have changed the file since. */
  MetaReply unleased() {
    boolean hasFlags = reply.attributes() != null || request.op() == MetaOp.READDIR || request.op() == MetaOp.LOOKUP;
    long leases = MetaReply.LEASED | MetaReply.PARENT_LEASED | MetaReply.SOLE;
    return !hasFlags || (reply.number() & leases) == 0 ? reply
        : new MetaReply(reply.id(), reply.errno(), reply.attributes(), reply.number() & ~leases, reply.value(), reply.grant());
  }
}
