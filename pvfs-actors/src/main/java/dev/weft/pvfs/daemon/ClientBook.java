package dev.weft.pvfs.daemon;

import java.util.Iterator;
import java.util.LinkedHashMap;
import org.agrona.collections.LongHashSet;

/** What a daemon remembers across connections: for a while, the changes that each client has had done, and the objects that were removed last. */
final class ClientBook {
  /** Maximum number of removed objects. A write that arrives after more than so many other removals would create an object that nothing removes. */
  static final int REMOVED_MAX = 65_536;

  /** The objects removed last, in order. Their numbers are never reused. */
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
   * @param credits maximum of a client
   * @param clientsMax remembered clients; connected ones are always remembered
   * @param keepNs how long a client is remembered after its last connection
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
    clients.put(instance, client); // The client that left last is forgotten last.
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
