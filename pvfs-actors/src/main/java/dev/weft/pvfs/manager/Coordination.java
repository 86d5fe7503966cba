package dev.weft.pvfs.manager;

import dev.weft.pvfs.Errno;
import dev.weft.pvfs.wire.DirectoryPage;
import dev.weft.pvfs.wire.FileAttributes;
import dev.weft.pvfs.wire.FileLock;
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

/** What clients do beside each other: their locks, what they may remember, and what they are told. Nothing of it is on a disk. One thread. */
final class Coordination {
  /** Inodes that one answer names: more than any operation changes. */
  private static final int CHANGED_MAX = 64;

  /** Locks that are held, locks that are waited for, inodes that clients may remember, and what clients of the manager before have claimed. */
  record State(int locks, int lockWaiters, int remembered, boolean awaitsClaims, long claimed, long claimsRefused) {}

  private final CoordinationSettings settings;
  private final LongSupplier epochs;
  private final Map<Long, EventStream> streams = new HashMap<>();
  private final Set<Long> told = new LinkedHashSet<>();
  private final LockTable locks;
  private final Leases leases;
  private final ReturningClients returning;
  /** Until when those of the manager before may believe what they remember. */
  private final long formerUntilNs;
  /** Asked for what is not known before all have come back that held locks: by session, in order. */
  private final Map<Long, List<MetaRequest>> deferred = new LinkedHashMap<>();

  /**
   * What clients have of each other.
   *
   * @param epochs numbers larger than 0, each another one
   * @param former sessions of the manager before that may hold locks, or remember something
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
      return Long.MAX_VALUE; // It has never listened: a lock that it holds is wanted, and it does not want to know.
    }
    told.add(session);
    return stream.add(kind, subject);
  }

  // Events.

  /** A session waits for events. */
  void ask(long session, MetaRequest request, long nowNs) {
    EventStream stream = stream(session, nowNs);
    boolean isKnown = request.number(0, 0) == stream.epoch;
    long doneTo = isKnown ? request.number(1, 0) : 0;
    stream.ask(request.id(), doneTo, isKnown ? nowNs : nowNs - settings.waitNs()); // One that is new learns at once which stream this is.
    told.add(session);
    leases.done(session, doneTo);
  }

  private EventStream stream(long session, long nowNs) {
    return streams.computeIfAbsent(session, _ -> new EventStream(epochs.getAsLong(), nowNs + settings.leaseNs()));
  }

  /** Whether it may remember what it is told. */
  boolean isListening(long session) {
    return streams.containsKey(session);
  }

  /** Sessions that may have an answer due, since the last time. */
  Set<Long> takeTold() {
    if (told.isEmpty()) {
      return Set.of();
    }
    Set<Long> taken = new LinkedHashSet<>(told); // In their order, so that virtual time repeats it in any JVM.
    told.clear();
    return taken;
  }

  /** The answer to a session that waits for events; null if none is due. */
  MetaReply due(long session, long nowNs) {
    EventStream stream = streams.get(session);
    return stream == null ? null : stream.answer(nowNs, settings.waitNs(), settings.leaseNs());
  }

  // Locks.

  /** Answers LOCK, LOCK_TEST and LOCK_CANCEL; null where {@link #takeDeferred} gives it back later. */
  MetaReply lock(MetaRequest request, long session, long nowNs) {
    long id = request.id();
    if (request.op() == MetaOp.LOCK_CANCEL) {
      return MetaReply.failed(id, locks.cancel(session, request.number(0, 0)) ? Errno.OK : Errno.ENOENT);
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
        stream(session, nowNs); // Somebody may want it before its first question for events comes.
      }
      return MetaReply.failed(id, isGranted ? Errno.OK : Errno.ENOLCK);
    }
    long ticket = request.number(0, 0);
    if (locks.isGrace() && ticket == 0 && lock.type() != FileLock.NONE) {
      return defer(session, request);
    }
    if (request.op() == MetaOp.LOCK_TEST) {
      FileLock other = locks.conflict(session, request.inode(), lock);
      return other == null ? MetaReply.ok(id) : MetaReply.of(id, 1, other.encode());
    }
    if (ticket != 0) {
      stream(session, nowNs); // It may come before the first question for events.
    }
    return MetaReply.failed(id, locks.lock(session, request.inode(), lock, ticket));
  }

  private MetaReply defer(long session, MetaRequest request) {
    List<MetaRequest> of = deferred.computeIfAbsent(session, _ -> new ArrayList<>());
    if (of.size() >= settings.deferredMax()) {
      return MetaReply.failed(request.id(), Errno.EAGAIN); // Other requests of its own need the credits; and perhaps somebody has it.
    }
    of.add(request);
    return null;
  }

  // Clients of the manager before.

  /** Whether it claims a lock that its session had at the manager before. */
  static boolean isClaim(MetaRequest request) {
    return request.op() == MetaOp.LOCK && request.number(1, 0) != 0;
  }

  /** Whether what a session claims may be given. */
  boolean awaits(long session) {
    return returning.isAwaited(session);
  }

  /** Whether a request has come already, and waits for {@link #takeDeferred}. */
  boolean isDeferred(long session, long id) {
    return deferred.getOrDefault(session, List.of()).stream().anyMatch(request -> request.id() == id);
  }

  /** A session has claimed all that it had. */
  void claimed(long session) {
    if (returning.remove(session)) {
      endReturning();
    }
  }

  /** Who has not come back has had its time; nothing of it is on the disk any more. */
  void endGrace() {
    if (returning.end()) {
      endReturning();
    }
  }

  private void endReturning() {
    locks.endGrace();
    leases.endFormer();
  }

  /** Requests that can be answered now, by session. */
  Map<Long, List<MetaRequest>> takeDeferred() {
    if (deferred.isEmpty() || locks.isGrace()) {
      return Map.of();
    }
    Map<Long, List<MetaRequest>> taken = new LinkedHashMap<>(deferred);
    deferred.clear();
    return taken;
  }

  // Leases.

  /** Inodes have changed; as {@link Leases#revoke}. */
  boolean revoke(long changer, Collection<Long> inodes, Runnable then) {
    return !inodes.isEmpty() && leases.revoke(changer, inodes, then);
  }

  /** As {@link Leases#gone}. */
  void gone(long session, long inode) {
    leases.gone(session, inode);
  }

  /** An answer that tells its client, which changed them, what it remembers no more. */
  MetaReply withChanged(MetaRequest request, MetaReply reply, Collection<Long> changed, long session, LongFunction<FileAttributes> attributes) {
    boolean fits = reply.value().length == 0 && changed.size() <= CHANGED_MAX;
    return changed.isEmpty() || reply.errno() != Errno.OK || !fits || !streams.containsKey(session) ? reply
        : new MetaReply(reply.id(), reply.errno(), reply.attributes(), reply.number(),
            MetaReply.encodeChanged(changed, isEntry(request.op()) ? attributes.apply(request.inode()) : null), reply.grant());
  }

  /** An answer that is sent now, with what its client may remember of it. */
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

  /** Of what has no name any more, and is no file that somebody has open, nothing is told. */
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

  /** Its connection is lost; it may come back. */
  void disconnected(long session) {
    EventStream stream = streams.get(session);
    if (stream != null) {
      stream.disconnected();
    }
    deferred.remove(session); // It asks again.
  }

  /** That it has them could not be written, and it is told so. */
  void dropLocks(long session) {
    locks.endSession(session);
  }

  /** It is gone for good: what it had is free. */
  void ended(long session) {
    streams.remove(session);
    told.remove(session);
    deferred.remove(session);
    locks.endSession(session);
    leases.end(session);
    claimed(session);
  }

  /** To be called every {@link CoordinationSettings#waitNs} or more often, while {@link #isActive}. */
  void onTime(long nowNs) {
    if (nowNs - formerUntilNs >= 0) {
      leases.endFormer();
    }
    streams.forEach((session, stream) -> {
      told.add(session);
      if (stream.isLeaseOver(nowNs) && leases.isAwaited(session)) {
        leases.end(session); // It has not heard; but it knows that its time is over.
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
