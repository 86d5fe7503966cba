package dev.weft.pvfs.manager;

import dev.weft.pvfs.Errno;
import dev.weft.pvfs.wire.DirectoryPage;
import dev.weft.pvfs.wire.FileAttributes;
import dev.weft.pvfs.wire.FileLock;
import dev.weft.pvfs.wire.MetaArguments;
import dev.weft.pvfs.wire.MetaEvent;
import dev.weft.pvfs.wire.MetaOp;
import dev.weft.pvfs.wire.MetaReply;
import dev.weft.pvfs.wire.MetaRequest;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongFunction;
import java.util.function.LongSupplier;

/** Coordinates clients: their locks, their leases, and their events. Nothing of it is on disk. One thread. */
final class Coordination {
  /** Maximum number of inodes in one answer: more than any operation changes. */
  private static final int CHANGED_MAX = 64;

  /** Locks held, locks awaited, cached inodes of clients, and claims by clients of the previous manager. */
  record State(int locks, int lockWaiters, int remembered, boolean awaitsClaims, long claimed, long claimsRefused) {}

  private final CoordinationSettings settings;
  private final LongSupplier epochs;
  private final Map<Long, EventStream> streams = new HashMap<>();
  private final Set<Long> told = new LinkedHashSet<>();
  private final LockTable locks;
  private final Leases leases;
  private final ReturningClients returning;
  /** Until when clients of the previous manager may use what they have cached. */
  private final long formerUntilNs;
  /** Requests whose answer is unknown until all clients that held locks have come back: by session, in order. */
  private final Map<Long, List<MetaRequest>> deferred = new LinkedHashMap<>();

  /**
   * Makes the coordination of all clients.
   *
   * @param epochs gives numbers greater than 0, each different
   * @param former sessions of the previous manager that may hold locks or have cached something
   */
  Coordination(CoordinationSettings settings, LongSupplier epochs, Set<Long> former, long nowNs) {
    this.settings = settings;
    this.epochs = epochs;
    returning = new ReturningClients(former);
    formerUntilNs = nowNs + settings.leaseNs();
    locks = new LockTable(settings.locksMax(), new LockTable.Listener() {
      @Override
      public void granted(long session, long ticket) {
        tell(session, MetaEvent.Kind.LOCKED, ticket);
      }

      @Override
      public void wanted(long session, long inode) {
        tell(session, MetaEvent.Kind.WANTED, inode);
      }
    });
    leases = new Leases(settings.leasesMax(), new Leases.Teller() {
      @Override
      public long changed(long session, long inode) {
        return tell(session, MetaEvent.Kind.CHANGED, inode);
      }

      @Override
      public long allChanged(long session) {
        return tell(session, MetaEvent.Kind.ALL_CHANGED, 0);
      }
    });
    if (returning.isAwaited()) {
      locks.beginGrace();
      leases.beginFormer();
    }
  }

  private long tell(long session, MetaEvent.Kind kind, long subject) {
    EventStream stream = streams.get(session);
    if (stream == null) {
      return Long.MAX_VALUE; // The session does not listen to events, so it never learns that another session wants its lock.
    }
    told.add(session);
    return stream.add(kind, subject);
  }

  // Events.

  /** A session asks for events. */
  void ask(long session, MetaRequest request, long nowNs) {
    EventStream stream = stream(session, nowNs);
    MetaArguments.Events asked = MetaArguments.Events.of(request);
    boolean isKnown = asked.stream() == stream.epoch;
    long doneTo = isKnown ? asked.handled() : 0;
    stream.ask(request.id(), doneTo, isKnown ? nowNs : nowNs - settings.waitNs()); // A new client learns at once which stream this is.
    told.add(session);
    leases.done(session, doneTo);
  }

  private EventStream stream(long session, long nowNs) {
    return streams.computeIfAbsent(session, _ -> new EventStream(epochs.getAsLong(), nowNs + settings.leaseNs()));
  }

  /** Whether the session listens to events, so it may cache. */
  boolean isListening(long session) {
    return streams.containsKey(session);
  }

  /** Returns the sessions that may have an answer due, since the last call. */
  Set<Long> takeTold() {
    if (told.isEmpty()) {
      return Set.of();
    }
    Set<Long> taken = new LinkedHashSet<>(told); // In a fixed order, so that virtual time repeats it in any JVM.
    told.clear();
    return taken;
  }

  /** Returns the answer to a session that waits for events; null if none is due. */
  MetaReply due(long session, long nowNs) {
    EventStream stream = streams.get(session);
    return stream == null ? null : stream.answer(nowNs, settings.waitNs(), settings.leaseNs());
  }

  // Locks.

  /** Answers LOCK, LOCK_TEST and LOCK_CANCEL; null if {@link #takeDeferred} returns the request later. */
  MetaReply lock(MetaRequest request, long session, long nowNs) {
    long id = request.id();
    if (request.op() == MetaOp.LOCK_CANCEL) {
      return MetaReply.failed(id, locks.cancel(session, MetaArguments.LockCancel.of(request).ticket()) ? Errno.OK : Errno.ENOENT);
    }
    FileLock lock;
    try {
      lock = FileLock.decode(request.value());
    } catch (IllegalArgumentException wrong) {
      return MetaReply.failed(id, Errno.EINVAL);
    }
    if (isClaim(request)) {
      boolean isGranted = returning.count(awaits(session) && locks.claim(session, request.inode(), lock));
      if (isGranted && lock.kind() == FileLock.APPEND) {
        stream(session, nowNs); // Another session may want the lock before this one first asks for events.
      }
      return MetaReply.failed(id, isGranted ? Errno.OK : Errno.ENOLCK);
    }
    long ticket = MetaArguments.Lock.of(request).ticket();
    if (locks.isGrace() && ticket == 0 && lock.type() != FileLock.NONE) {
      return defer(session, request);
    }
    if (request.op() == MetaOp.LOCK_TEST) {
      FileLock other = locks.conflict(session, request.inode(), lock);
      return other == null ? MetaReply.ok(id) : MetaReply.of(id, 1, other.encode());
    }
    if (ticket != 0) {
      stream(session, nowNs); // The lock may be granted before the session first asks for events.
    }
    return MetaReply.failed(id, locks.lock(session, request.inode(), lock, ticket));
  }

  private MetaReply defer(long session, MetaRequest request) {
    List<MetaRequest> of = deferred.computeIfAbsent(session, _ -> new ArrayList<>());
    if (of.size() >= settings.deferredMax()) {
      return MetaReply.failed(request.id(), Errno.EAGAIN); // The session's other requests need the credits; and the lock may be taken.
    }
    of.add(request);
    return null;
  }

  // Clients of the previous manager.

  /** Whether it claims a lock that its session held at the previous manager. */
  static boolean isClaim(MetaRequest request) {
    return request.op() == MetaOp.LOCK && MetaArguments.Lock.of(request).isClaim();
  }

  /** Whether the session may still claim locks. */
  boolean awaits(long session) {
    return returning.isAwaited(session);
  }

  /** Whether the request has arrived already and waits for {@link #takeDeferred}. */
  boolean isDeferred(long session, long id) {
    return deferred.getOrDefault(session, List.of()).stream().anyMatch(request -> request.id() == id);
  }

  /** The session has claimed all its locks. */
  void claimed(long session) {
    if (returning.remove(session)) {
      endReturning();
    }
  }

  /** The time of sessions that have not come back is over; the disk has nothing of them any more. */
  void endGrace() {
    if (returning.end()) {
      endReturning();
    }
  }

  private void endReturning() {
    locks.endGrace();
    leases.endFormer();
  }

  /** Returns the requests that can be answered now, by session. */
  Map<Long, List<MetaRequest>> takeDeferred() {
    if (deferred.isEmpty() || locks.isGrace()) {
      return Map.of();
    }
    Map<Long, List<MetaRequest>> taken = new LinkedHashMap<>(deferred);
    deferred.clear();
    return taken;
  }

  // Leases.

  /** Revokes leases of changed inodes; as {@link Leases#revoke}. */
  boolean revoke(long changer, Collection<Long> inodes, Runnable then) {
    return !inodes.isEmpty() && leases.revoke(changer, inodes, then);
  }

  /** As {@link Leases#gone}. */
  void gone(long session, long inode) {
    leases.gone(session, inode);
  }

  /** Adds to an answer the inodes that the operation changed, so its client removes them from its cache. */
  MetaReply withChanged(MetaRequest request, MetaReply reply, Collection<Long> changed, long session, LongFunction<FileAttributes> attributes) {
    boolean fits = reply.value().length == 0 && changed.size() <= CHANGED_MAX;
    return changed.isEmpty() || reply.errno() != Errno.OK || !fits || !streams.containsKey(session) ? reply
        : new MetaReply(reply.id(), reply.errno(), reply.attributes(), reply.number(),
            MetaReply.encodeChanged(changed, isEntry(request.op()) ? attributes.apply(request.inode()) : null), reply.grant());
  }

  /** Adds the leases that the client gets with an answer that is sent now. */
  MetaReply leased(MetaRequest request, MetaReply reply, long session) {
    boolean isAbsent = request.op() == MetaOp.LOOKUP && reply.errno() == Errno.ENOENT;
    if (!streams.containsKey(session) || reply.errno() != Errno.OK && !isAbsent) {
      return reply;
    }
    long flags = 0;
    if (reply.attributes() != null && mayChange(reply.attributes()) && leases.grant(session, reply.attributes().inode())) {
      flags |= MetaReply.LEASED;
    }
    if (isEntry(request.op()) && leases.grant(session, request.inode())) {
      flags |= MetaReply.PARENT_LEASED;
    }
    if (request.op() == MetaOp.READDIR && grantAll(session, request.inode(), reply.value())) {
      flags |= MetaReply.LEASED | MetaReply.PARENT_LEASED;
    }
    return flags == 0 ? reply : new MetaReply(reply.id(), reply.errno(), reply.attributes(), reply.number() | flags, reply.value(), reply.grant());
  }

  /** Whether there will be events about it: not without a name, except for a regular file, which may be open. */
  private static boolean mayChange(FileAttributes of) {
    return of.links() > 0 || of.isRegular();
  }

  private static boolean isEntry(MetaOp op) {
    return switch (op) {
      case LOOKUP, CREATE, MKDIR, MKNOD, SYMLINK, LINK, UNLINK, RMDIR -> true;
      default -> false;
    };
  }

  private boolean grantAll(long session, long directory, byte[] page) {
    List<DirectoryPage.Entry> entries = DirectoryPage.decode(page);
    boolean isAll = !entries.isEmpty() && leases.grant(session, directory);
    for (DirectoryPage.Entry entry : entries) {
      isAll &= leases.grant(session, entry.attributes().inode());
    }
    return isAll;
  }

  // Sessions.

  /** The session has lost its connection; it may come back. */
  void disconnected(long session) {
    EventStream stream = streams.get(session);
    if (stream != null) {
      stream.disconnected();
    }
    deferred.remove(session); // The client repeats these requests.
  }

  /** Drops the session's locks: the store could not record that it holds some, and the client gets an error. */
  void dropLocks(long session) {
    locks.endSession(session);
  }

  /** The session has ended: everything that it held is free. */
  void ended(long session) {
    streams.remove(session);
    told.remove(session);
    deferred.remove(session);
    locks.endSession(session);
    leases.end(session);
    claimed(session);
  }

  /** Call it at least every {@link CoordinationSettings#waitNs} while {@link #isActive}. */
  void onTime(long nowNs) {
    if (nowNs - formerUntilNs >= 0) {
      leases.endFormer();
    }
    streams.forEach((session, stream) -> {
      told.add(session);
      if (stream.isLeaseOver(nowNs) && leases.isAwaited(session)) {
        leases.end(session); // It has not heard of the change, but knows that its lease is over.
      }
    });
  }

  boolean isActive() {
    return !streams.isEmpty() || returning.isAwaited();
  }

  State state() {
    return new State(locks.heldCount(), locks.waitingCount(), leases.count(), locks.isGrace(), returning.claimed(), returning.refused());
  }
}
