package dev.weft.pvfs.daemon;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Finds clients that take nothing of what they have asked for: what moves to or from them is kept for them, and others wait for it. It looks again and again
 * while others wait; a client whose oldest operation is still the same, and of which no request has ended since, several times in turn, is stuck. It counts
 * looks instead of time, so that a daemon that was paused does not take its own silence for that of its clients.
 */
final class Patience {
  /** In turn. */
  static final int LOOKS = 4;

  private record Seen(long oldest, long completed, int times) {}

  private final Map<DaemonClient, Seen> seen = new HashMap<>();

  /**
   * Looks once.
   *
   * @param oldest operation of each client whose data is kept, or moves
   * @return those that are stuck
   */
  List<DaemonClient> look(Map<DaemonClient, Long> oldest) {
    seen.keySet().retainAll(oldest.keySet());
    oldest.forEach((client, number) -> {
      Seen before = seen.get(client);
      boolean isSame = before != null && before.oldest == number && before.completed == client.channel.completed();
      seen.put(client, new Seen(number, client.channel.completed(), isSame ? before.times + 1 : 0));
    });
    return oldest.keySet().stream().filter(client -> seen.get(client).times >= LOOKS).toList();
  }

  /** Nobody waits. */
  void forget() {
    seen.clear();
  }
}
