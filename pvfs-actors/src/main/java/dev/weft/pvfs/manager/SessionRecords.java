package dev.weft.pvfs.manager;

import dev.weft.pvfs.store.MetadataStore;
import dev.weft.pvfs.wire.MetaRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;

/** Records of sessions in the store: the answers to their changes, and whether they may hold locks or have cached something. */
final class SessionRecords {
  private static final int ANSWERS_PAGE = 1024;

  private final MetadataStore store;
  private final Transaction transaction;

  SessionRecords(MetadataStore store, Transaction transaction) {
    this.store = store;
    this.transaction = transaction;
  }

  /** Stores an answer in place of the slot's previous one. */
  void keep(KeptAnswer.Place place, KeptAnswer answer) {
    transaction.put(Keys.answer(place.session(), place.slot()), Values.answer(answer));
  }

  void forget(KeptAnswer.Place place) {
    transaction.delete(Keys.answer(place.session(), place.slot()));
  }

  /** Visits the stored answers in order, without uncommitted ones. */
  void forEachAnswer(BiConsumer<KeptAnswer.Place, KeptAnswer> visitor) {
    byte[] from = Keys.ANSWERS;
    List<MetadataStore.Entry> page;
    do {
      page = store.scan(Keys.ANSWERS, from, ANSWERS_PAGE);
      for (MetadataStore.Entry entry : page) {
        visitor.accept(Keys.place(entry.key()), Values.answer(entry.value()));
        from = Keys.after(entry.key());
      }
    } while (page.size() == ANSWERS_PAGE);
  }

  /** Returns the places of stored answers that wait for an intent, without uncommitted ones. */
  List<KeptAnswer.Place> answersOf(long intent) {
    List<KeptAnswer.Place> found = new ArrayList<>();
    forEachAnswer((place, answer) -> {
      if (answer.intent() == intent) {
        found.add(place);
      }
    });
    return found;
  }

  void holds(long session) {
    transaction.put(Keys.holder(session), Values.nothing());
  }

  /** Returns sessions of {@link #holds} that have not ended, in order, without uncommitted ones. */
  List<Long> holders(long from, int limit) {
    return store.scan(Keys.HOLDERS, Keys.holder(from), limit).stream().map(entry -> Keys.number(entry.key())).toList();
  }

  /** Removes all records of a session. */
  void end(long session) {
    transaction.scan(Keys.answers(session), Keys.answers(session), MetaRequest.SLOTS).forEach(entry -> transaction.delete(entry.key()));
    if (transaction.get(Keys.holder(session)) != null) {
      transaction.delete(Keys.holder(session));
    }
  }
}
