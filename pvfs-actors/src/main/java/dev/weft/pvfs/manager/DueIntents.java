package dev.weft.pvfs.manager;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Begins the daemons' work for the intents in the store, in their order. One thread. */
final class DueIntents {
  private static final int INTENTS_MAX = 256;

  private final KeptNameSpace kept;
  private final EffectQueue queue;
  /** The first intent of each kind that was not begun; then the first one that answers do not wait for yet. */
  private final long[] nextBegun = new long[Intent.Kind.values().length];
  private long nextSeen;

  DueIntents(KeptNameSpace kept, EffectQueue queue) {
    this.kept = kept;
    this.queue = queue;
  }

  /** Returns files that are to be cut by intents that are new since the last call, by intent. */
  Map<Long, Long> cutFiles() {
    NameSpace names = kept.get();
    Map<Long, Long> cut = new HashMap<>();
    for (List<Intent> page = names.intents(nextSeen, INTENTS_MAX); !page.isEmpty(); page = names.intents(nextSeen, INTENTS_MAX)) {
      page.stream().filter(intent -> intent.kind() == Intent.Kind.TRUNCATE).forEach(intent -> cut.put(intent.id(), intent.inode()));
      nextSeen = page.getLast().id() + 1;
    }
    return cut;
  }

  /** Begins as many intents as the queue accepts; each finished one makes room. */
  void begin(Effects.Listener listener) {
    begin(Intent.Kind.TRUNCATE, Long.MAX_VALUE, listener);
    begin(Intent.Kind.REMOVE, nextBegun[Intent.Kind.TRUNCATE.ordinal()], listener); // A file is cut before it is removed.
  }

  /** Begins intents of one kind below an id; they wait for no other kind. If the store fails at any page, intents that were begun are not begun again. */
  private void begin(Intent.Kind kind, long end, Effects.Listener listener) {
    NameSpace names = kept.get();
    int of = kind.ordinal();
    for (List<Intent> page = names.intents(nextBegun[of], INTENTS_MAX); !page.isEmpty(); page = names.intents(nextBegun[of], INTENTS_MAX)) {
      for (Intent intent : page) {
        if (intent.id() >= end || intent.kind() == kind && !queue.add(intent, listener)) {
          return;
        }
        nextBegun[of] = intent.id() + 1;
      }
    }
  }

  /** The work is done: begins the next of its inode. Returns null if it was not begun. */
  Intent done(long id, Effects.Listener listener) {
    return queue.done(id, listener);
  }

  /** Begins failed work again. */
  void again(long id, Effects.Listener listener) {
    queue.again(id, listener);
  }

  /** Returns the number of intents whose work is begun and unfinished. */
  int underWay() {
    return queue.size();
  }
}
