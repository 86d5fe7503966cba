package dev.weft.pvfs.meta;

import dev.weft.pvfs.Errno;
import dev.weft.pvfs.wire.Caller;
import dev.weft.pvfs.wire.FileLock;
import dev.weft.pvfs.wire.MetaArguments;
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
 * The locks that this client holds and waits for, so that it can claim them at a restarted manager. It learns from answers and events, in the
 * manager's order. Bound: the locks that the manager allows a client. One thread.
 */
final class LockLedger {
  /** Receives the answers of a restarted manager. */
  interface Listener {
    /** A lock could not be claimed: another client may have it. */
    void lost(long inode, FileLock lock);

    /** A waiting lock was requested again and no longer waits; an errno. */
    void over(long ticket, int errno);
  }

  private final Map<LockOwner, List<FileLock>> held = new HashMap<>();
  /** Requests of waiting locks, by ticket. */
  private final Map<Long, MetaRequest> waiting = new LinkedHashMap<>();
  /** Tickets whose grant came before the answer that they must wait. */
  private final Set<Long> early = new LinkedHashSet<>();
  private Listener listener = new Listener() {
    @Override
    public void lost(long inode, FileLock lock) {
      // No lock was taken.
    }

    @Override
    public void over(long ticket, int errno) {
      // As above.
    }
  };

  void listen(Listener to) {
    listener = to;
  }

  /** Takes an answer of the manager. */
  void answered(MetaRequest request, MetaReply reply) {
    if (request.op() == MetaOp.LOCK_CANCEL && reply.errno() == Errno.OK) {
      waiting.remove(MetaArguments.LockCancel.of(request).ticket());
    } else if (request.op() == MetaOp.LOCK) {
      onLock(request, FileLock.decode(request.value()), reply.errno());
    }
  }

  private void onLock(MetaRequest request, FileLock lock, int errno) {
    MetaArguments.Lock asked = MetaArguments.Lock.of(request);
    long ticket = asked.ticket();
    if (asked.isClaim()) {
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

  /** A change of an flock(2) lock's type gives up the old lock, whether the new one was granted or not. */
  private void giveUpForAnother(long inode, FileLock lock) {
    if (lock.kind() == FileLock.FLOCK) {
      replace(inode, lock.of(FileLock.NONE));
    }
  }

  /** The manager has granted a waiting lock. */
  void granted(long ticket) {
    MetaRequest request = waiting.remove(ticket);
    if (request == null) {
      early.add(ticket);
    } else {
      replace(request.inode(), FileLock.decode(request.value()));
    }
  }

  /** Returns false if no part was or is held. */
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

  /** Whether a request removes something from the ledger: until it is answered, it is repeated to every manager. */
  static boolean givesBack(MetaRequest request) {
    return request.op() == MetaOp.LOCK_CANCEL || request.op() == MetaOp.LOCK && FileLock.decode(request.value()).type() == FileLock.NONE;
  }

  /**
   * The previous manager may have done a request without answering. Removes locks that the request gives up, so they are not claimed: another client
   * may have them.
   */
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

  /** Returns the requests for a restarted manager: each lock, the end of the claims, and what still waits. */
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
