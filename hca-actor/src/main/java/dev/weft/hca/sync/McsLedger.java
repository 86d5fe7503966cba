package dev.weft.hca.sync;

import java.util.ArrayList;
import java.util.List;

/**
 * The home's record of the queue of one MCS lock. The home derives it from the atomics that its HCA has executed; clients only send a note after each
 * hand-over. The record is used only when a client dies: it then repairs the queue. At most one entry for each client. Decision logic only.
 */
final class McsLedger {
  /** The actions of a repair. */
  interface Repair {
    /** Gives the lock to a waiting client. */
    void grant(int client, int ticket);

    /** Tells a client that the home hands over the lock after it. */
    void follow(int client, int ticket);

    /** Marks the lock as free; its word is {@code tail} so far. */
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

  /** Handles an executed compare-and-swap of the lock's word. */
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

  /** Handles a client's note that it has handed the lock over. */
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

  /** Returns the holder of the lock and the waiting clients, first to last. */
  List<Integer> clients() {
    return queue.stream().map(Entry::client).toList();
  }
}
