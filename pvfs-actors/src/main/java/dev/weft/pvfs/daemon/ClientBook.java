package dev.weft.pvfs.daemon;

import java.util.Iterator;
import java.util.LinkedHashMap;
import org.agrona.collections.LongHashSet;

/** What a daemon remembers beyond connections: what each client has had done, for a while after it was there last, and which objects were removed last. */
final class ClientBook {
  /** Objects: a write that comes later than the removal of more than so many others would make one that nobody removes. */
  static final int REMOVED_MAX = 65_536;

  /** The last objects that were removed, in that order. Their numbers are not used again. */
  static final class Removed {
    private final LongHashSet objects = new LongHashSet();
    private final long[] inOrder = new long[REMOVED_MAX];
    private int next;
    private boolean isRound;

    void add(long object) {
      if (!objects.add(object)) {
        return;
      }
      if (isRound) {
        objects.remove(inOrder[next]);
      }
      inOrder[next++] = object;
      if (next == REMOVED_MAX) {
        next = 0;
        isRound = true;
      }
    }

    boolean contains(long object) {
      return objects.contains(object);
    }
  }

  final Removed removed = new Removed();
  private final LinkedHashMap<Long, DoneRequests> clients = new LinkedHashMap<>();
  private final int credits;
  private final int clientsMax;
  private final long keepNs;

  /**
   * @param credits that a client may have at most
   * @param clientsMax that are remembered; connected ones always are
   * @param keepNs how long after its last connection one is
   */
  ClientBook(int credits, int clientsMax, long keepNs) {
    this.credits = credits;
    this.clientsMax = clientsMax;
    this.keepNs = keepNs;
  }

  DoneRequests connected(long instance, long nowNs) {
    forgetOld(nowNs);
    DoneRequests client = clients.computeIfAbsent(instance, _ -> new DoneRequests(credits));
    client.connections++;
    return client;
  }

  void disconnected(long instance, DoneRequests client, long nowNs) {
    client.connections--;
    client.leftNs = nowNs;
    clients.remove(instance);
    clients.put(instance, client); // Who has left last is forgotten last.
    forgetOld(nowNs);
  }

  private void forgetOld(long nowNs) {
    Iterator<DoneRequests> each = clients.values().iterator();
    while (each.hasNext()) {
      DoneRequests client = each.next();
      if (client.connections == 0 && (clients.size() > clientsMax || nowNs - client.leftNs > keepNs)) {
        each.remove();
      }
    }
  }

  int clients() {
    return clients.size();
  }
}
