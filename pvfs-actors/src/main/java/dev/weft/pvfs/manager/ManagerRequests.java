package dev.weft.pvfs.manager;

import dev.weft.pvfs.Errno;
import dev.weft.pvfs.wire.MetaOp;
import dev.weft.pvfs.wire.MetaReply;
import dev.weft.pvfs.wire.MetaRequest;
import java.util.HashSet;
import java.util.Set;
import java.util.function.LongSupplier;

/** Handles the requests of clients: {@link Coordination} those for locks and events, the name space the others. One thread. */
final class ManagerRequests {
  private final MetadataHandler handler;
  private final Coordination coordination;
  private final ManagerAnswers answers;
  private final LongSupplier nowNs;

  ManagerRequests(MetadataHandler handler, Coordination coordination, ManagerAnswers answers, LongSupplier nowNs) {
    this.handler = handler;
    this.coordination = coordination;
    this.answers = answers;
    this.nowNs = nowNs;
  }

  /** Answers a request again, or handles it, unless that is under way. */
  void accept(ManagerSession session, MetaRequest request) {
    MetaReply before = session.answered(request.id());
    if (before != null) {
      answers.repeat(session, request, before);
    } else if (!coordination.isDeferred(session.id, request.id()) && !answers.isUnderWay(session, request)) {
      handle(session, request);
    }
  }

  /** Handles a request that has no answer yet. */
  void handle(ManagerSession session, MetaRequest request) {
    boolean isLateClaim = Coordination.isClaim(request) && !coordination.awaits(session.id); // It is refused, and the next manager must not wait for it.
    if (!isLateClaim && (request.op() == MetaOp.LOCK || request.op() == MetaOp.EVENTS || coordination.isListening(session.id))) {
      handler.holds(session.id);
    }
    switch (request.op()) {
      case EVENTS -> coordination.ask(session.id, request, nowNs.getAsLong());
      case LOCK, LOCK_TEST, LOCK_CANCEL -> {
        boolean isUnrecorded = request.op() == MetaOp.LOCK && !isLateClaim && !handler.isHolder(session.id);
        MetaReply reply = isUnrecorded ? MetaReply.failed(request.id(), Errno.EIO) : coordination.lock(request, session.id, nowNs.getAsLong());
        if (reply != null) {
          answers.add(session, request, reply, Set.of());
        }
      }
      case CLAIMED -> {
        coordination.claimed(session.id);
        answers.add(session, request, MetaReply.ok(request.id()), Set.of());
      }
      default -> onNames(session, request);
    }
  }

  private void onNames(ManagerSession session, MetaRequest request) {
    MetadataHandler.Repeated before = handler.repeated(request, session.id);
    MetaReply reply = before != null ? before.reply() : handler.handle(request, session.id);
    Set<Long> changed = handler.takeChanged();
    if (before != null) {
      changed = new HashSet<>(changed);
      changed.add(request.inode()); // Clients of the previous manager may still have the old state cached: wait for them as for a new change.
    }
    MetaReply full = coordination.withChanged(request, reply, changed, session.id, handler::attributes);
    if (before == null && handler.isSettled()) {
      answers.addSettled(session, request, full, changed);
    } else {
      answers.add(session, request, full, changed, before);
    }
    session.isLeaving |= request.op() == MetaOp.BYE;
  }
}
