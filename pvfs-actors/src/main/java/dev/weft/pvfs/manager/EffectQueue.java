package dev.weft.pvfs.manager;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;

/**
 * Effects that are under way, those of one inode one after the other. Bound: {@link #MAX} of each kind, so that removals that wait delay no cut. One thread.
 */
final class EffectQueue {
  static final int MAX = 1024;

  private final Effects effects;
  /** By inode; the first of each is under way, or will be begun again. */
  private final Map<Long, ArrayDeque<Intent>> queues = new HashMap<>();
  private final Map<Long, Intent> byId = new HashMap<>();
  private final int[] counts = new int[Intent.Kind.values().length];

  EffectQueue(Effects effects) {
    this.effects = effects;
  }

  /** Begins it now or behind others; false if there are as many of its kind as may be. */
  boolean add(Intent intent, Effects.Listener listener) {
    if (byId.containsKey(intent.id())) {
      return true; // It is here already.
    }
    ArrayDeque<Intent> queue = queues.get(intent.inode());
    if (counts[intent.kind().ordinal()] >= MAX || queue == null && !effects.begin(intent, listener)) {
      return false;
    }
    queues.computeIfAbsent(intent.inode(), _ -> new ArrayDeque<>()).add(intent);
    byId.put(intent.id(), intent);
    counts[intent.kind().ordinal()]++;
    return true;
  }

  /** It is done: the next one of its inode begins. Null if it is none of these. */
  Intent done(long id, Effects.Listener listener) {
    Intent intent = byId.remove(id);
    if (intent != null) {
      counts[intent.kind().ordinal()]--;
      ArrayDeque<Intent> queue = queues.get(intent.inode());
      queue.poll();
      if (queue.isEmpty()) {
        queues.remove(intent.inode());
      } else {
        begin(queue.peek(), listener);
      }
    }
    return intent;
  }

  /** One that failed is begun again. */
  void again(long id, Effects.Listener listener) {
    Intent intent = byId.get(id);
    if (intent != null) {
      begin(intent, listener);
    }
  }

  /** That are not done. */
  int size() {
    return byId.size();
  }

  private void begin(Intent intent, Effects.Listener listener) {
    if (!effects.begin(intent, listener)) {
      listener.failed(intent.id(), "as many operations as there may be are under way");
    }
  }
}
