package dev.weft.pvfs.manager;

import dev.weft.pvfs.wire.MetaRequest;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Answers that the managers before have given to changes, or could not give any more, for clients that ask again. Bound: {@link MetaRequest#SLOTS} for each
 * session. One thread.
 */
final class FormerAnswers {
  private final Map<Long, Map<Integer, KeptAnswer>> sessions = new HashMap<>();

  FormerAnswers(KeptNameSpace kept) {
    kept.get().forEachAnswer((place, answer) -> sessions.computeIfAbsent(place.session(), _ -> new HashMap<>()).put(place.slot(), answer));
  }

  /** Null if no manager before has done just this request. */
  KeptAnswer find(MetaRequest request, long session) {
    KeptAnswer kept = sessions.getOrDefault(session, Map.of()).get(request.slot());
    return kept != null && kept.request() == request.id() && kept.op() == request.op() ? kept : null;
  }

  /** The client has the answer: it has used the slot for another change. */
  void replaced(long session, int slot) {
    Map<Integer, KeptAnswer> of = sessions.get(session);
    if (of != null && of.remove(slot) != null && of.isEmpty()) {
      sessions.remove(session);
    }
  }

  /** Daemons cannot do what was answered: who asks again is to ask for it anew. */
  void refused(long intent) {
    sessions.values().forEach(of -> of.values().removeIf(kept -> kept.intent() == intent));
    sessions.values().removeIf(Map::isEmpty);
  }

  /** It has ended, which the store is told by others. */
  void ended(long session) {
    sessions.remove(session);
  }

  /** That may ask again, in their order. */
  Set<Long> sessions() {
    return new TreeSet<>(sessions.keySet());
  }
}
