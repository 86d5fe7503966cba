package dev.weft.pvfs.daemon;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Finds clients that accept nothing of what they have requested, while others wait for the buffers that this keeps occupied. It checks repeatedly
 * while operations wait. A client is stuck if, several checks in a row, its oldest operation is the same and none of its requests has ended. It
 * counts checks instead of time, so a daemon that was paused does not blame its clients.
 */
final class Patience {
  /** Checks in a row. */
  static final int LOOKS = 4;

  private record Seen(long oldest, long completed, int times) {}

  private final Map<DaemonClient, Seen> seen = new HashMap<>();

  /**
   * Makes one check.
   *
   * @param oldest operation of each client whose data is kept or moving
   * @return the clients that are stuck
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

  /** No operation waits. */
  void forget() {
    seen.clear();
  }
}
