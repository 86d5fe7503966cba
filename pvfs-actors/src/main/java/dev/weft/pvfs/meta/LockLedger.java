package dev.weft.pvfs.meta;

import dev.weft.pvfs.Errno;
import dev.weft.pvfs.wire.Caller;
import dev.weft.pvfs.wire.FileLock;
import dev.weft.pvfs.wire.MetaOp;
import dev.weft.pvfs.wire.MetaReply;
import dev.weft.pvfs.wire.MetaRequest;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What this client has locked at the manager, and waits for, to be claimed at one that has started anew. It learns from answers and events, in the order in
 * which the manager gave them. Bound: what the manager lets a client lock. One thread.
 */
final class LockLedger {
  /** Told what a manager that has started anew says. */
  interface Listener {
    /** A lock could not be claimed: somebody else may have it. */
    void lost(long inode, FileLock lock);

    /** A lock that waits was asked for once more, and does not wait any more: an errno. */
    void over(long ticket, int errno);
  }

  private final Map<LockOwner, List<FileLock>> held = new HashMap<>();
  /** Requests for locks that wait, by ticket. */
  private final Map<Long, MetaRequest> waiting = new LinkedHashMap<>();
  /** That were granted before the answer came that they have to wait. */
  private final Set<Long> early = new LinkedHashSet<>();
  private Listener listener = new Listener() {
    @Override
    public void lost(long inode, FileLock lock) {
      // Nobody has locked anything.
    }

    @Override
    public void over(long ticket, int errno) {
      // The same.
    }
  };

  void listen(Listener to) {
    listener = to;
  }

  /** Learns from an answer. */
  void answered(MetaRequest request, MetaReply reply) {
    if (request.op() == MetaOp.LOCK_CANCEL && reply.errno() == Errno.OK) {
      waiting.remove(request.number(0, 0));
    } else if (request.op() == MetaOp.LOCK) {
      onLock(request, FileLock.decode(request.value()), reply.errno());
    }
  }

  private void onLock(MetaRequest request, FileLock lock, int errno) {
    long ticket = request.number(0, 0);
    if (request.number(1, 0) != 0) {
      if (errno != Errno.OK && replace(request.inode(), lock.of(FileLock.NONE))) {
        listener.lost(request.inode(), lock);
      }
      return;
    }
    boolean isAskedAgain = waiting.containsKey(ticket);
    if (errno == Errno.OK) {
      replace(request.inode(), lock);
    } else if (errno == Errno.EINPROGRESS) {
      waits(request, lock, ticket);
    } else if (errno == Errno.EAGAIN) {
      giveUpForAnother(request.inode(), lock);
    }
    if (isAskedAgain && errno != Errno.EINPROGRESS) {
      waiting.remove(ticket);
      listener.over(ticket, errno);
    }
  }

  private void waits(MetaRequest request, FileLock lock, long ticket) {
    if (early.remove(ticket)) {
      replace(request.inode(), lock);
    } else {
      giveUpForAnother(request.inode(), lock);
      waiting.put(ticket, request);
    }
  }

  /** Another type of flock(2) is another lock: the one before has gone, whether the new one was got or not. */
  private void giveUpForAnother(long inode, FileLock lock) {
    if (lock.kind() == FileLock.FLOCK) {
      replace(inode, lock.of(FileLock.NONE));
    }
  }

  /** The manager has granted a lock that waited. */
  void granted(long ticket) {
    MetaRequest request = waiting.remove(ticket);
    if (request == null) {
      early.add(ticket);
    } else {
      replace(request.inode(), FileLock.decode(request.value()));
    }
  }

  /** False if nothing of it was held, or is. */
  private boolean replace(long inode, FileLock lock) {
    LockOwner owner = LockOwner.of(inode, lock);
    List<FileLock> before = held.getOrDefault(owner, List.of());
    List<FileLock> next = FileLock.replace(before, lock);
    if (next.isEmpty()) {
      held.remove(owner);
    } else {
      held.put(owner, next);
    }
    return !next.equals(before);
  }

  /** Whether a request takes something out of the ledger: until it is answered, all managers hear of that still. */
  static boolean givesBack(MetaRequest request) {
    return request.op() == MetaOp.LOCK_CANCEL || request.op() == MetaOp.LOCK && FileLock.decode(request.value()).type() == FileLock.NONE;
  }

  /** The manager before may have done a request, and is not there to say so: what that gives up is not claimed, since somebody else may have it. */
  void noteMaybeDone(MetaRequest request) {
    if (request.op() != MetaOp.LOCK) {
      return;
    }
    FileLock lock = FileLock.decode(request.value());
    boolean givesUp = lock.type() != FileLock.EXCLUSIVE || lock.kind() == FileLock.FLOCK;
    for (FileLock own : List.copyOf(held.getOrDefault(LockOwner.of(request.inode(), lock), List.of()))) {
      if (givesUp && own.type() != lock.type() && own.start() <= lock.end() && lock.start() <= own.end()) {
        FileLock part = own.part(Math.max(own.start(), lock.start()), Math.min(own.end(), lock.end()));
        replace(request.inode(), part.of(lock.type() == FileLock.SHARED ? FileLock.SHARED : FileLock.NONE));
      }
    }
  }

  /** What has to be said to a manager that has started anew: each lock, that this is all, and what still waits. */
  List<MetaRequest> claims() {
    early.clear();
    List<MetaRequest> all = new ArrayList<>();
    held.forEach((owner, locks) -> locks.forEach(lock ->
        all.add(MetaRequest.of(MetaOp.LOCK, Caller.ROOT, owner.inode(), 0, 1).withValue(lock.encode()))));
    all.add(MetaRequest.of(MetaOp.CLAIMED, Caller.ROOT, 0));
    all.addAll(waiting.values());
    return all;
  }

  int heldCount() {
    return held.values().stream().mapToInt(List::size).sum();
  }
}
