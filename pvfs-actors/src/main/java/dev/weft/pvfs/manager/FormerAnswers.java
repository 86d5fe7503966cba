package dev.weft.pvfs.manager;

import dev.weft.pvfs.wire.MetaOp;
import dev.weft.pvfs.wire.MetaReply;
import dev.weft.pvfs.wire.MetaRequest;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Keeps the answers to changes in the store. Has those of previous managers, including answers that may not have been sent, for clients that repeat a
 * request. Bound: {@link MetaRequest#SLOTS} for each session. One thread.
 */
final class FormerAnswers {
  private final Map<Long, Map<Integer, KeptAnswer>> sessions = new HashMap<>();

  FormerAnswers(KeptNameSpace kept) {
    kept.get().forEachAnswer((place, answer) -> sessions.computeIfAbsent(place.session(), _ -> new HashMap<>()).put(place.slot(), answer));
  }

  /** Returns null if no previous manager has carried out this very request. */
  KeptAnswer find(MetaRequest request, long session) {
    KeptAnswer kept = sessions.getOrDefault(session, Map.of()).get(request.slot());
    return kept != null && kept.request() == request.id() && kept.op() == request.op() ? kept : null;
  }

  /** Stores the answer to a change in the batch of the change, so that the disk has both or neither; {@code before}: the counts before the change. */
  void keep(NameSpace names, MetaRequest request, MetaReply reply, long session, SuperBlock before) {
    SuperBlock now = names.superBlock();
    if (request.op() == MetaOp.CREATE && now.nextInode() == before.nextInode()) {
      return; // The file existed, and a repeated request opens it again.
    }
    boolean isCut = request.op() == MetaOp.SETATTR && now.nextIntent() != before.nextIntent();
    Inode inode = reply.attributes() == null ? null : names.changed(reply.attributes().inode());
    names.keepAnswer(new KeptAnswer.Place(session, request.slot()),
        new KeptAnswer(request.id(), request.op(), inode, isCut ? before.nextIntent() : KeptAnswer.NO_INTENT));
    replaced(session, request.slot());
  }

  /** The client has received the answer: it has reused the slot. */
  private void replaced(long session, int slot) {
    Map<Integer, KeptAnswer> of = sessions.get(session);
    if (of != null && of.remove(slot) != null && of.isEmpty()) {
      sessions.remove(session);
    }
  }

  /** The daemons cannot do what was answered: a client that repeats the request starts anew. */
  void refused(long intent) {
    sessions.values().forEach(of -> of.values().removeIf(kept -> kept.intent() == intent));
    sessions.values().removeIf(Map::isEmpty);
  }

  /** The session has ended; the store records that elsewhere. */
  void ended(long session) {
    sessions.remove(session);
  }

  /** Returns the sessions that may repeat requests, in order. */
  Set<Long> sessions() {
    return new TreeSet<>(sessions.keySet());
  }
}
