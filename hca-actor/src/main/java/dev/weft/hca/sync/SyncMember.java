package dev.weft.hca.sync;

import dev.weft.hca.cm.Connection;
import dev.weft.hca.cm.ConnectionManager;
import dev.weft.hca.cm.ConnectionObserver;
import dev.weft.hca.cm.ConnectionRequest;
import dev.weft.hca.cm.RejectReason;
import dev.weft.hca.node.Node;
import dev.weft.hca.verbs.Access;
import dev.weft.hca.verbs.Hca;
import dev.weft.hca.verbs.MemoryRegion;
import dev.weft.hca.verbs.ProtectionDomain;
import dev.weft.hca.verbs.QpAttr;
import dev.weft.hca.verbs.QpInitAttr;
import dev.weft.hca.verbs.QpState;
import dev.weft.hca.verbs.QueuePair;
import dev.weft.hca.verbs.ReceiveContext;
import dev.weft.hca.verbs.WcStatus;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Joins a {@link SyncService} of any node of the fabric. It connects a {@link SyncClient} with the home and with each earlier client; later clients
 * connect to this one. The member ends if the connection manager reports that the home is lost, or if the home or a client does not answer. Then every
 * operation in progress and every later one ends with false, the observer is called, and this client holds no lock any more.
 */
public final class SyncMember implements AutoCloseable {
  /** Receives the events of a member. Called on the hardware thread; must not block. */
  public interface Observer {
    /** The member has joined: the client can be used in its receive context. */
    void onJoined(SyncClient client);

    /** The member could not join or has ended: the home is lost, or the member was closed. The last event, called once. */
    void onLost(String reason);
  }

  private static final int DEPTH = 256;
  private static final int TRIES = 3;

  private final Node node;
  private final Hca hca;
  private final String service;
  private final Observer observer;
  private final ProtectionDomain pd;
  private final SyncClient client;
  private final MemorySegment slot = Arena.ofAuto().allocate(SyncHello.SLOT_BYTES, 8);
  private final MemoryRegion slotRegion;
  private final QueuePair toHome;
  /** All queue pairs and, below, the established connections. Used on the hardware thread. */
  private final List<QueuePair> queuePairs = new ArrayList<>();
  private final List<Connection> connections = new ArrayList<>();
  private SyncHello.Joined joined;
  private boolean over;

  private SyncMember(Node node, String service, int objects, ReceiveContext context, Observer observer) {
    this.node = node;
    this.service = service;
    this.observer = observer;
    hca = node.hca();
    pd = hca.allocPd();
    client = new SyncClient(hca, pd, objects, context);
    client.onUnreachable(reason -> hca.later(() -> {
      end(reason);
      return null;
    }));
    slotRegion = hca.regMr(pd, slot, Access.LOCAL_WRITE);
    toHome = queuePair();
  }

  /**
   * Starts to join; not on the hardware thread.
   *
   * @param homeNode the node that offers the service
   * @param objects number of objects for which the client has room, at least the number of the home
   * @param context context of the operations' callbacks, not POLLING
   */
  public static SyncMember join(Node node, String homeNode, String service, int objects, ReceiveContext context, Observer observer) {
    SyncMember member = new SyncMember(node, service, objects, context, observer);
    node.cm().listen(member.peerService(member.toHome.qpNum()), member::onPeer);
    node.cm().connect(homeNode, service, member.toHome, SyncService.OPTIONS,
        new SyncHello.Join(member.client.mailbox(), objects, member.toHome.qpNum()).encode(), member.new Home());
    return member;
  }

  private String peerService(int number) {
    return service + "/" + Integer.toHexString(number);
  }

  private QueuePair queuePair() {
    QueuePair qp = hca.createQp(pd, new QpInitAttr(client.cq(), client.cq(), DEPTH, 1, 1, 1, SyncService.INLINE_BYTES, false));
    hca.useEventCounters(qp, client.counters());
    queuePairs.add(qp);
    return qp;
  }

  private static String refusal(String what, RejectReason reason, byte[] said) {
    return what + " rejected the connection: " + reason + " " + new String(said, StandardCharsets.UTF_8);
  }

  /** The connection to the home. */
  private final class Home implements ConnectionObserver {
    @Override
    public void onEstablished(Connection connection, byte[] privateData) {
      if (over) {
        connection.disconnect();
        return;
      }
      connections.add(connection);
      try {
        joined = SyncHello.Joined.decode(privateData);
        client.identify(joined.id());
        client.connectHome(toHome, joined.words());
        client.run(() -> look(0, 1));
      } catch (IllegalArgumentException wrong) {
        end(wrong.getMessage());
      }
    }

    @Override
    public void onRejected(RejectReason reason, byte[] privateData) {
      end(refusal("the home", reason, privateData));
    }

    @Override
    public void onDisconnected(Connection connection, boolean nodeLost) {
      end(nodeLost ? "the node of the home was lost" : "the home ended the connection");
    }
  }

  /** Reads a slot of the home's list and connects to its client if that client joined earlier. Runs in the client's context. */
  private void look(int number, int attempt) {
    if (number == joined.slots()) {
      hca.later(() -> {
        if (!over) {
          observer.onJoined(client);
        }
        return null;
      });
      return;
    }
    SyncClient.Address roster = joined.roster();
    client.read(roster.at() + (long) number * SyncHello.SLOT_BYTES, roster.rkey(), slotRegion, SyncHello.SLOT_BYTES, (none, status) -> {
      if (status != WcStatus.SUCCESS) {
        return; // The connection to the home has ended; the member learns of that separately.
      }
      SyncHello.Slot there = SyncHello.Slot.decode(slot.asByteBuffer());
      if (there.id() == 0 || there.id() >= joined.id()) {
        look(number + 1, 1);
      } else {
        hca.later(() -> {
          connectPeer(there, number, attempt);
          return null;
        });
      }
    });
  }

  private void connectPeer(SyncHello.Slot there, int number, int attempt) {
    if (over) {
      return;
    }
    QueuePair qp = queuePair();
    node.cm().connect(there.node(), peerService(there.peerService()), qp, SyncService.OPTIONS,
        new SyncHello.Peer(joined.id(), client.mailbox()).encode(), new Peer(there.id(), qp) {
          @Override
          void established(byte[] privateData) {
            client.connectPeer(there.id(), qp, SyncHello.Peer.decode(privateData).mailbox());
            client.run(() -> look(number + 1, 1));
          }

          @Override
          void refused(RejectReason reason, byte[] said) {
            if (reason == RejectReason.UNKNOWN_NODE || reason == RejectReason.INVALID_SERVICE_ID) {
              client.run(() -> look(number + 1, 1)); // That client has just left, so the home takes over its part in the queues.
            } else if (reason == RejectReason.TIMEOUT && attempt < TRIES) {
              client.run(() -> look(number, attempt + 1));
            } else {
              end(refusal("client " + there.id() + " of node " + there.node(), reason, said));
            }
          }
        });
  }

  /** Accepts the connection of a later client. */
  private void onPeer(ConnectionRequest request) {
    try {
      SyncHello.Peer other = SyncHello.Peer.decode(request.privateData());
      if (over) {
        throw new IllegalArgumentException("the client has left");
      }
      QueuePair qp = queuePair();
      client.connectPeer(other.id(), qp, other.mailbox());
      request.accept(qp, SyncService.OPTIONS, new SyncHello.Peer(client.id(), client.mailbox()).encode(), new Peer(other.id(), qp) {
        @Override
        void established(byte[] privateData) {}

        @Override
        void refused(RejectReason reason, byte[] said) {}
      });
    } catch (IllegalArgumentException refused) {
      request.reject(SyncHello.text(refused.getMessage(), ConnectionManager.PRIVATE_DATA_BYTES_MAX));
    }
  }

  /** The connection to another client. */
  private abstract class Peer implements ConnectionObserver {
    private final int id;
    private final QueuePair qp;
    private Connection connection;

    Peer(int id, QueuePair qp) {
      this.id = id;
      this.qp = qp;
    }

    abstract void established(byte[] privateData);

    abstract void refused(RejectReason reason, byte[] said);

    @Override
    public void onEstablished(Connection made, byte[] privateData) {
      if (over) {
        made.disconnect();
        return;
      }
      connection = made;
      connections.add(made);
      established(privateData);
    }

    @Override
    public void onRejected(RejectReason reason, byte[] privateData) {
      gone();
      if (!over) {
        refused(reason, privateData);
      }
    }

    @Override
    public void onDisconnected(Connection ended, boolean nodeLost) {
      gone();
    }

    private void gone() {
      client.forgetPeer(id);
      connections.remove(connection);
      if (queuePairs.remove(qp)) {
        hca.destroyQp(qp);
      }
    }
  }

  /** Ends the member, on the hardware thread. */
  private void end(String reason) {
    if (over) {
      return;
    }
    over = true;
    node.cm().unlisten(peerService(toHome.qpNum()));
    connections.forEach(Connection::disconnect);
    connections.clear();
    queuePairs.forEach(qp -> qp.modify(new QpAttr().state(QpState.ERR)));
    client.homeLost(reason);
    observer.onLost(reason);
  }

  /** Leaves the service; the home passes the objects that the client holds or waits for on to the next clients. Not on the hardware thread. */
  @Override
  public void close() {
    if (hca.isClosed()) {
      return; // Closing the HCA has notified all peers and released all resources.
    }
    hca.onHardware(() -> {
      end("the client has left");
      List<QueuePair> all = List.copyOf(queuePairs);
      queuePairs.clear();
      all.forEach(hca::destroyQp);
      return null;
    });
    client.close();
    hca.deregMr(slotRegion);
    hca.deallocPd(pd);
  }
}
