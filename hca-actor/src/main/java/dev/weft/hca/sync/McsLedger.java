package dev.weft.hca.sync;

import java.util.ArrayList;
import java.util.List;

/**
 * What the home knows of the queue of one MCS lock, from the atomics that its HCA executed: nobody sends anything for it but a note after
 * each hand-over. It takes no part while all live; when a client dies it closes the gap. Bound: one entry for each client. Decides only.
 */
final class McsLedger {
  /** What a repair does. */
  interface Repair {
    /** Gives the lock to a waiting client. */
    void grant(int client, int ticket);

    /** Tells a client that the home will see to who comes after it. */
    void follow(int client, int ticket);

    /** Marks the lock free, whose word is {@code tail}. */
    void free(long tail);
  }

  private record Entry(int client, int ticket) {
    long word() {
      return McsLock.word(client, ticket);
    }
  }

  private final Repair repair;
  private final List<Entry> queue = new ArrayList<>();
  private final List<Entry> dead = new ArrayList<>();

  McsLedger(Repair repair) {
    this.repair = repair;
  }

  /** A compare-and-swap of the lock's word was executed. */
  void onSwap(long expected, long replacement, long original) {
    if (original != expected) {
      return;
    }
    if (replacement == 0) {
      queue.clear();
      return;
    }
    queue.add(new Entry(McsLock.client(replacement), McsLock.ticket(replacement)));
  }

  /** A client says that it has handed the lock over. */
  void onReleased(int client) {
    queue.removeIf(entry -> entry.client == client && !dead.contains(entry));
    closeGap();
  }

  void onDead(int client) {
    for (int i = 0; i < queue.size(); i++) {
      Entry entry = queue.get(i);
      if (entry.client != client) {
        continue;
      }
      dead.add(entry);
      if (i > 0 && !dead.contains(queue.get(i - 1))) {
        repair.follow(queue.get(i - 1).client, queue.get(i - 1).ticket);
      }
    }
    closeGap();
  }

  private void closeGap() {
    Entry last = null;
    while (!queue.isEmpty() && dead.contains(queue.getFirst())) {
      last = queue.removeFirst();
      dead.remove(last);
    }
    if (last == null) {
      return;
    }
    if (queue.isEmpty()) {
      repair.free(last.word());
    } else {
      repair.grant(queue.getFirst().client, queue.getFirst().ticket);
    }
  }

  /** Who holds the lock and who waits, first to last. */
  List<Integer> clients() {
    return queue.stream().map(Entry::client).toList();
  }
}
