package dev.weft.hca.sync;

import dev.weft.hca.cm.Connection;
import dev.weft.hca.cm.ConnectionManager;
import dev.weft.hca.cm.ConnectionObserver;
import dev.weft.hca.cm.ConnectionOptions;
import dev.weft.hca.cm.ConnectionRequest;
import dev.weft.hca.cm.RejectReason;
import dev.weft.hca.node.Node;
import dev.weft.hca.verbs.Access;
import dev.weft.hca.verbs.CompletionQueue;
import dev.weft.hca.verbs.Hca;
import dev.weft.hca.verbs.MemoryRegion;
import dev.weft.hca.verbs.ProtectionDomain;
import dev.weft.hca.verbs.QpInitAttr;
import dev.weft.hca.verbs.QueuePair;
import dev.weft.hca.verbs.ReceiveContext;
import dev.weft.hca.verbs.WorkCompletion;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;

/**
 * A {@link SyncHome} that nodes of the whole fabric join through the connection manager, see {@link SyncMember}. A client is lost if the connection
 * manager reports that it or its node has left, or if a write to it is not acknowledged. The objects that it held or waited for then go to the next
 * clients. The service runs on the hardware thread of the home; the home's programs take no part.
 *
 * <p>Limits: {@code clientsMax} clients at a time, and 65,534 in total. Client numbers are never reused, because a late word of a dead client must
 * not be attributed to another.
 */
public final class SyncService implements AutoCloseable {
  /** 2.1 s and 7 retries: longer than the cluster needs to distinguish a lost node from a paused one. */
  static final ConnectionOptions OPTIONS = ConnectionOptions.DEFAULT.withTimeout(19);

  static final int INLINE_BYTES = 16;
  private static final int CLIENTS_MAX = 4096;

  private final class Member implements ConnectionObserver {
    final int id;
    final int slot;
    final QueuePair qp;
    Connection connection;

    Member(int id, int slot, QueuePair qp) {
      this.id = id;
      this.slot = slot;
      this.qp = qp;
    }

    @Override
    public void onEstablished(Connection established, byte[] privateData) {
      connection = established;
      if (members.get(id) != this) {
        established.disconnect(); // The member was lost in the meantime.
      }
    }

    @Override
    public void onRejected(RejectReason reason, byte[] privateData) {
      lost(this);
    }

    @Override
    public void onDisconnected(Connection ended, boolean nodeLost) {
      lost(this);
    }
  }

  private final Node node;
  private final Hca hca;
  private final String service;
  private final ProtectionDomain pd;
  private final SyncHome home;
  private final CompletionQueue cq;
  private final int depth;
  private final MemorySegment roster;
  private final MemoryRegion rosterRegion;
  private final int[] slots;
  private final Map<Integer, Member> members = new TreeMap<>();
  private final WorkCompletion wc = new WorkCompletion();
  private int lastId;

  private SyncService(Node node, String service, int clientsMax, SyncHome.Kind... kinds) {
    this.node = node;
    this.service = service;
    hca = node.hca();
    pd = hca.allocPd();
    home = new SyncHome(hca, pd, service, kinds);
    // A client has at most one operation in progress on an object and receives at most two words about it.
    depth = Math.max(16, 2 * kinds.length);
    cq = hca.createCq(Math.multiplyExact(clientsMax, depth), ReceiveContext.ISR, this::onCompletions);
    cq.arm(false);
    slots = new int[clientsMax];
    roster = Arena.ofAuto().allocate((long) clientsMax * SyncHello.SLOT_BYTES, 64);
    rosterRegion = hca.regMr(pd, roster, Access.LOCAL_WRITE | Access.REMOTE_READ);
  }

  /**
   * Creates objects whose words are 0 and offers them to the fabric.
   *
   * @param service the service name by which clients join, at most 64 bytes of UTF-8
   * @param clientsMax largest number of clients at a time, 1 to 4096; further clients are rejected
   * @param kinds the kinds of the objects, by number; 1 to 4096 objects
   */
  public static SyncService offer(Node node, String service, int clientsMax, SyncHome.Kind... kinds) {
    if (clientsMax < 1 || clientsMax > CLIENTS_MAX || service.getBytes(StandardCharsets.UTF_8).length > SyncHello.SERVICE_BYTES_MAX) {
      throw new IllegalArgumentException("service \"" + service + "\" for " + clientsMax + " clients: the name must have at most "
          + SyncHello.SERVICE_BYTES_MAX + " bytes, and the clients must be from 1 to " + CLIENTS_MAX);
    }
    SyncService offered = new SyncService(node, service, clientsMax, kinds);
    node.cm().listen(service, offered::onConnect);
    return offered;
  }

  /** The home with the words. */
  public SyncHome home() {
    return home;
  }

  private void onConnect(ConnectionRequest request) {
    try {
      SyncHello.Join join = SyncHello.Join.decode(request.privateData());
      int slot = freeSlot();
      if (join.objects() < home.objects() || slot < 0 || lastId + 1 >= McsLock.HOME) {
        throw new IllegalArgumentException(join.objects() < home.objects()
            ? "the client has room for " + join.objects() + " objects, " + service + " has " + home.objects()
            : service + " takes no more clients: " + members.size() + " of " + slots.length + " are connected, and it has used " + lastId + " of "
                + (McsLock.HOME - 1) + " client numbers");
      }
      byte[] entry = SyncHello.slot(lastId + 1, join.peerService(), request.peerNode());
      QueuePair qp = hca.createQp(pd, new QpInitAttr(cq, cq, depth, 1, 1, 1, INLINE_BYTES, false));
      Member member = new Member(++lastId, slot, qp);
      members.put(member.id, member);
      slots[slot] = member.id;
      home.addClient(member.id, qp, join.mailbox(), request.peerNode());
      MemorySegment.copy(MemorySegment.ofArray(entry), 0, roster, (long) slot * SyncHello.SLOT_BYTES, SyncHello.SLOT_BYTES);
      request.accept(qp, OPTIONS, new SyncHello.Joined(member.id, home.objects(), home.address(),
          new SyncClient.Address(rosterRegion.addr(), rosterRegion.rkey()), slots.length).encode(), member);
    } catch (RuntimeException refused) {
      request.reject(SyncHello.text(String.valueOf(refused.getMessage()), ConnectionManager.PRIVATE_DATA_BYTES_MAX));
    }
  }

  private int freeSlot() {
    for (int i = 0; i < slots.length; i++) {
      if (slots[i] == 0) {
        return i;
      }
    }
    return -1;
  }

  private void lost(Member member) {
    if (members.get(member.id) != member) {
      return;
    }
    members.remove(member.id);
    slots[member.slot] = 0;
    roster.asSlice((long) member.slot * SyncHello.SLOT_BYTES, SyncHello.SLOT_BYTES).fill((byte) 0);
    home.clientLost(member.id);
    if (member.connection != null) {
      member.connection.disconnect();
    }
    hca.destroyQp(member.qp);
  }

  /** Removes the client of each request that failed, because it is lost. */
  private void onCompletions(CompletionQueue queue) {
    do {
      while (queue.poll(wc)) {
        if (!wc.isSuccess()) {
          lost(wc.qpNum());
        }
      }
    } while (queue.arm(false) == CompletionQueue.Armed.COMPLETIONS_WAITING);
  }

  private void lost(int qpNum) {
    for (Member member : members.values()) {
      if (member.qp.qpNum() == qpNum) {
        lost(member);
        return;
      }
    }
  }

  /** Ends the service; its clients learn that the home is lost. Any thread. */
  @Override
  public void close() {
    node.cm().unlisten(service);
    hca.onHardware(() -> {
      for (Member member : members.values().toArray(Member[]::new)) {
        lost(member);
      }
      return null;
    });
    home.close();
    hca.deregMr(rosterRegion);
    hca.destroyCq(cq);
    hca.deallocPd(pd);
  }
}
