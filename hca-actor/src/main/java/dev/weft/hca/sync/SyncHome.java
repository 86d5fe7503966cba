package dev.weft.hca.sync;

import dev.weft.hca.verbs.Access;
import dev.weft.hca.verbs.Hca;
import dev.weft.hca.verbs.MemoryRegion;
import dev.weft.hca.verbs.ProtectionDomain;
import dev.weft.hca.verbs.QpAttr;
import dev.weft.hca.verbs.QpState;
import dev.weft.hca.verbs.QueuePair;
import dev.weft.hca.verbs.WorkRequest;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.agrona.collections.Int2ObjectHashMap;

/**
 * The node that holds the words of locks, wait queues and semaphores. Clients work on the words with atomics. The HCA reports each executed atomic to
 * this class, which therefore knows the order of the waiting clients without further messages and notifies the next one by one write. The programs of
 * the home take no part. Call it on the hardware thread, except for the constructor, {@link #snapshot} and {@link #close}.
 */
public final class SyncHome implements AutoCloseable {
  /** The kind of an object. */
  public enum Kind { MUTEX, SEMAPHORE, WAIT_QUEUE }

  /**
   * One object, for inspection.
   *
   * @param clients the waiting clients, first to last; for a mutex, the first is the holder
   * @param units the units of a semaphore that clients have taken, by client
   */
  public record ObjectSnapshot(int number, Kind kind, long word, List<Integer> clients, Map<Integer, Integer> units) {}

  /** A client, for inspection; {@code node} is null if it was connected by hand. */
  public record ClientSnapshot(int id, String node) {}

  /**
   * All objects and clients of a home, for inspection.
   *
   * @param service the service name by which clients join, or null
   * @param grants number of writes so far that granted an object to a client
   */
  public record Snapshot(String service, long grants, List<ClientSnapshot> clients, List<ObjectSnapshot> objects) {}

  private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();

  private record Client(int id, QueuePair qp, SyncClient.Address mailbox, String node, SignalInterval signals) {}

  private final class Shared {
    final int number;
    final Kind kind;
    final McsLedger ledger;
    final ArrayDeque<Client> waiting = new ArrayDeque<>();
    final Int2ObjectHashMap<int[]> held = new Int2ObjectHashMap<>();

    Shared(int number, Kind kind) {
      this.number = number;
      this.kind = kind;
      ledger = new McsLedger(new McsLedger.Repair() {
        @Override
        public void grant(int client, int ticket) {
          tell(client, SyncClient.grantOffset(number), ticket, number);
        }

        @Override
        public void follow(int client, int ticket) {
          tell(client, SyncClient.nextOffset(number), McsLock.next(ticket, McsLock.HOME, 0), number);
        }

        @Override
        public void free(long tail) {
          LONG.compareAndSet(memory, offset(number), tail, 0L);
        }
      });
    }

    int[] heldBy(int client) {
      return held.computeIfAbsent(client, id -> new int[1]);
    }
  }

  private final Hca hca;
  private final Runnable unpublish;
  private final MemorySegment memory;
  private final MemoryRegion region;
  private final Shared[] objects;
  private final Int2ObjectHashMap<Client> byQp = new Int2ObjectHashMap<>();
  private final Int2ObjectHashMap<Client> byId = new Int2ObjectHashMap<>();
  private long grants;

  /**
   * Creates objects whose words are 0.
   *
   * @param kinds the kinds of the objects, by number; 1 to 4096 objects
   */
  public SyncHome(Hca hca, ProtectionDomain pd, Kind... kinds) {
    this(hca, pd, null, kinds);
  }

  /** Creates a home that clients join as {@code service}. */
  SyncHome(Hca hca, ProtectionDomain pd, String service, Kind... kinds) {
    if (kinds.length < 1 || kinds.length > 4096) {
      throw new IllegalArgumentException(kinds.length + " objects, must be from 1 to 4096");
    }
    this.hca = hca;
    memory = Arena.ofAuto().allocate(16L * kinds.length, 64);
    region = hca.regMr(pd, memory, Access.ALL);
    objects = new Shared[kinds.length];
    for (int i = 0; i < kinds.length; i++) {
      objects[i] = new Shared(i, kinds[i]);
    }
    hca.observeAtomics(region, this::executed);
    unpublish = hca.publish(() -> new Snapshot(service, grants, clients(), list()));
  }

  private static long offset(int object) {
    return 16L * object;
  }

  /** The address of the words for clients. */
  public SyncClient.Address address() {
    return new SyncClient.Address(region.addr(), region.rkey());
  }

  public int objects() {
    return objects.length;
  }

  /** Sets the initial number of free units of a semaphore; call it before the first use. */
  public void initialize(int semaphore, long units) {
    LONG.setVolatile(memory, offset(semaphore), units);
  }

  /** Adds a client that the home reaches through {@code qp}. */
  public void addClient(int id, QueuePair qp, SyncClient.Address mailbox) {
    addClient(id, qp, mailbox, null);
  }

  void addClient(int id, QueuePair qp, SyncClient.Address mailbox, String node) {
    Client client = new Client(id, qp, mailbox, node, new SignalInterval(qp));
    byQp.put(qp.qpNum(), client);
    byId.put(id, client);
  }

  /** Handles an atomic that the HCA has executed on one of the words. */
  private void executed(int qpNum, long address, boolean isSwap, long compare, long swapAdd, long original) {
    Client client = byQp.get(qpNum);
    long at = address - region.addr();
    Shared object = objects[(int) (at / 16)];
    if (client == null) {
      return;
    }
    switch (object.kind) {
      case MUTEX -> {
        if (at % 16 != 0) {
          object.ledger.onReleased(client.id);
        } else if (isSwap) {
          object.ledger.onSwap(compare, swapAdd, original);
        }
      }
      case SEMAPHORE -> onSemaphore(object, client, swapAdd, original);
      case WAIT_QUEUE -> onWaitQueue(object, client, swapAdd);
    }
  }

  private void onSemaphore(Shared object, Client client, long add, long original) {
    if (add < 0) {
      if (original > 0) {
        object.heldBy(client.id)[0]++;
      } else {
        object.waiting.add(client);
      }
      return;
    }
    object.heldBy(client.id)[0]--;
    if (original < 0) {
      admit(object);
    }
  }

  private void admit(Shared object) {
    Client first = object.waiting.poll();
    if (first != null) {
      object.heldBy(first.id)[0]++;
      notify(first, object.number);
    }
  }

  private void onWaitQueue(Shared object, Client client, long add) {
    if (add == 1) {
      object.waiting.add(client);
      return;
    }
    for (long left = add >>> 32; left > 0 && !object.waiting.isEmpty(); left--) {
      notify(object.waiting.poll(), object.number);
    }
    LONG.setVolatile(memory, offset(object.number), (long) object.waiting.size());
  }

  private void notify(Client client, int object) {
    grants++;
    client.qp.postSend(client.signals.mark(new WorkRequest().writeWithImm(client.mailbox.at(), client.mailbox.rkey(), object)));
  }

  private void tell(int id, long offset, long value, int object) {
    Client client = byId.get(id);
    if (client != null) {
      grants++;
      MemorySegment word = MemorySegment.ofArray(new long[] {value});
      client.qp.postSend(client.signals.mark(
          new WorkRequest().writeWithImm(client.mailbox.at() + offset, client.mailbox.rkey(), object).inline(word)));
    }
  }

  /** Removes a lost client: passes the objects that it held or waited for on to the next clients. */
  public void clientLost(int id) {
    Client client = byId.remove(id);
    if (client == null) {
      return;
    }
    byQp.remove(client.qp.qpNum());
    client.qp.modify(new QpAttr().state(QpState.ERR)); // Its earlier requests must not be executed after the repair.
    for (Shared object : objects) {
      object.ledger.onDead(id);
      int waited = object.waiting.size();
      object.waiting.removeIf(one -> one.id == id);
      int removed = waited - object.waiting.size();
      if (object.kind == Kind.WAIT_QUEUE) {
        LONG.setVolatile(memory, offset(object.number), (long) object.waiting.size());
      } else if (object.kind == Kind.SEMAPHORE) {
        int[] units = object.held.remove(id);
        long returned = (long) removed + Math.max(0, units == null ? 0 : units[0]);
        LONG.getAndAdd(memory, offset(object.number), returned);
        for (long left = returned - removed; left > 0; left--) {
          admit(object);
        }
      }
    }
  }

  /** The number of writes so far that granted an object to a client. */
  public long grants() {
    return grants;
  }

  /** The current state of all objects. Any thread. */
  public List<ObjectSnapshot> snapshot() {
    return hca.onHardware(this::list);
  }

  private List<ObjectSnapshot> list() {
    List<ObjectSnapshot> list = new ArrayList<>();
    for (Shared object : objects) {
      Map<Integer, Integer> units = new TreeMap<>();
      object.held.forEach((id, count) -> {
        if (count[0] > 0) {
          units.put(id, count[0]);
        }
      });
      list.add(new ObjectSnapshot(object.number, object.kind, (long) LONG.getVolatile(memory, offset(object.number)),
          object.kind == Kind.MUTEX ? object.ledger.clients() : object.waiting.stream().map(Client::id).toList(), units));
    }
    return list;
  }

  private List<ClientSnapshot> clients() {
    return byId.values().stream().map(client -> new ClientSnapshot(client.id, client.node))
        .sorted(Comparator.comparingInt(ClientSnapshot::id)).toList();
  }

  /** Closes the home: later atomics of clients fail with REM_ACCESS_ERR. Any thread. */
  @Override
  public void close() {
    unpublish.run();
    hca.deregMr(region);
  }
}
