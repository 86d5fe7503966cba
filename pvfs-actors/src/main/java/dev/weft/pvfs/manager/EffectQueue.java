package dev.weft.pvfs.manager;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;

/**
 * Effects under way; those of one inode run one after the other. Bound: {@link #MAX} of each kind, so that waiting removals delay no truncation. One
 * thread.
 */
final class EffectQueue {
  static final int MAX = 1024;

  private final Effects effects;
  /** By inode; the first effect of each queue is under way, or will be repeated. */
  private final Map<Long, ArrayDeque<Intent>> queues = new HashMap<>();
  private final Map<Long, Intent> byId = new HashMap<>();
  private final int[] counts = new int[Intent.Kind.values().length];

  EffectQueue(Effects effects) {
    this.effects = effects;
  }

  /** Begins an effect now or behind others; returns false if the maximum of its kind is reached. */
  boolean add(Intent intent, Effects.Listener listener) {
    if (byId.containsKey(intent.id())) {
      return true; // It is queued already.
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

  /** An effect is done: begins the next one of its inode. Returns null if it is not queued. */
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

  /** Begins a failed effect again. */
  void again(long id, Effects.Listener listener) {
    Intent intent = byId.get(id);
    if (intent != null) {
      begin(intent, listener);
    }
  }

  /** Returns the number of unfinished effects. */
  int size() {
    return byId.size();
  }

  private void begin(Intent intent, Effects.Listener listener) {
    if (!effects.begin(intent, listener)) {
      listener.failed(intent.id(), "as many operations as there may be are under way");
    }
  }
}
