package dev.weft.pvfs.manager;

import dev.weft.pvfs.store.StoreException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/** Sessions that may hold locks or have cached something, as recorded in the store: a restarted manager waits for them. One thread. */
final class Holders {
  private static final int PAGE = 1024;

  private final KeptNameSpace kept;
  private final Set<Long> sessions = new HashSet<>();

  Holders(KeptNameSpace kept) {
    this.kept = kept;
    List<Long> page;
    long from = 0;
    do {
      page = kept.get().holders(from, PAGE);
      sessions.addAll(page);
      from = page.isEmpty() ? 0 : page.getLast() + 1;
    } while (page.size() == PAGE);
  }

  /** Records a session with the next commit; {@code ifLost} gets the action to run if that fails. */
  void add(long session, Consumer<Runnable> ifLost) {
    try {
      if (!sessions.contains(session) && kept.get().holds(session).isOk()) {
        sessions.add(session);
        ifLost.accept(() -> sessions.remove(session));
      }
    } catch (StoreException failed) {
      // The client gets an error.
    }
  }

  boolean contains(long session) {
    return sessions.contains(session);
  }

  /** The session has ended; the store records that elsewhere. */
  void remove(long session) {
    sessions.remove(session);
  }

  Set<Long> all() {
    return new HashSet<>(sessions);
  }
}
