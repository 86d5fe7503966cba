package dev.weft.hca.cm;

import akka.actor.typed.ActorRef;
import akka.actor.typed.Behavior;
import akka.actor.typed.PostStop;
import akka.actor.typed.Terminated;
import akka.actor.typed.javadsl.ActorContext;
import akka.actor.typed.javadsl.Behaviors;
import dev.weft.fabric.HardwareMessage;
import dev.weft.fabric.UnknownMessages;
import dev.weft.fabric.node.Directory;
import dev.weft.fabric.node.NodeEntry;
import dev.weft.fabric.time.FabricContext;
import dev.weft.hca.cm.CmMessage.Dreq;
import dev.weft.hca.cm.CmMessage.Endpoint;
import dev.weft.hca.cm.CmMessage.Rej;
import dev.weft.hca.cm.CmMessage.Rep;
import dev.weft.hca.cm.CmMessage.Req;
import dev.weft.hca.cm.CmMessage.Rtu;
import dev.weft.hca.cm.CmMessage.SidrRej;
import dev.weft.hca.cm.CmMessage.SidrRep;
import dev.weft.hca.cm.CmMessage.SidrReq;
import dev.weft.hca.cm.Entry.State;
import dev.weft.hca.verbs.Hca;
import dev.weft.hca.verbs.QpAttr;
import dev.weft.hca.verbs.QpState;
import dev.weft.hca.verbs.QpType;
import dev.weft.hca.verbs.QueuePair;
import dev.weft.hca.verbs.VerbsException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The connection manager of one node, on the hardware thread. Message flow: REQ, REP, RTU; or REQ, REJ; later DREQ from either side. Messages may get
 * lost if a JVM ends. Before the connection is established, both sides then give up after a timeout. Afterwards, the directory reports nodes that have
 * left. {@code connections-max} limits the number of connections.
 */
public final class CmActor {
  private static final byte[] NOTHING = new byte[0];

  /** Messages of this node's consumers and timers; peers send {@link CmMessage}s. */
  sealed interface Local extends HardwareMessage {}

  record Connect(String node, String service, QueuePair qp, ConnectionOptions options, byte[] privateData,
      ConnectionObserver observer) implements Local {}

  record Accept(long id, QueuePair qp, ConnectionOptions options, byte[] privateData, ConnectionObserver observer)
      implements Local {}

  record Reject(long id, RejectReason reason, byte[] privateData) implements Local {}

  record Disconnect(long id) implements Local {}

  record Expired(long id) implements Local {}

  record Resolve(String node, String service, DatagramObserver observer) implements Local {}

  record ResolveExpired(long id) implements Local {}

  /** An actor listens for connections. The connection manager ends its connections when it ends. */
  record Watch(ActorRef<?> consumer) implements Local {}

  /** A node has left the fabric. */
  record NodeLost(String node) implements Local {}

  /** Requests the state of the connection manager. */
  public record Inspect(ActorRef<CmSnapshot> replyTo) implements Local {}

  private record Settle(Runnable done) implements Local {}

  private final ActorContext<HardwareMessage> context;
  private final String node;
  private final Hca hca;
  private final CmServices services;
  private final Directory directory;
  private final FabricContext fabric;
  private final CmSettings settings;
  private final int pathMtuMax;
  private final ActorRef<HardwareMessage> self;
  private final Map<Long, Entry> entries = new LinkedHashMap<>();
  /** The watched actors. */
  private final Set<ActorRef<?>> consumers = new HashSet<>();
  private final DatagramLookups lookups;
  private final UnknownMessages unknownMessages = new UnknownMessages();
  private long nextId = 1;

  private CmActor(ActorContext<HardwareMessage> context, Hca hca, CmServices services, Directory directory, FabricContext fabric,
      CmSettings settings, int pathMtuMax) {
    this.context = context;
    self = context.getSelf();
    this.node = hca.nodeName();
    this.hca = hca;
    this.services = services;
    this.directory = directory;
    this.fabric = fabric;
    this.settings = settings;
    this.pathMtuMax = pathMtuMax;
    lookups = new DatagramLookups(settings.connectionsMax());
  }

  /** Creates the connection manager of {@code hca}. {@code pathMtuMax} is the largest path MTU of the fabric's links, in bytes. */
  public static Behavior<HardwareMessage> create(Hca hca, CmServices services, Directory directory, FabricContext fabric,
      CmSettings settings, int pathMtuMax) {
    return Behaviors.setup(context -> {
      CmActor actor = new CmActor(context, hca, services, directory, fabric, settings, pathMtuMax);
      services.onClose(actor::close);
      Directory.Subscription losses = directory.onNodeLost(lost -> actor.self.tell(new NodeLost(lost)));
      return Behaviors.receive(HardwareMessage.class)
          .onAnyMessage(actor::onMessage)
          .onSignal(Terminated.class, actor::onConsumerEnded)
          .onSignal(PostStop.class, stopped -> {
            losses.cancel();
            services.close();
            return Behaviors.same();
          })
          .build();
    });
  }

  /** Returns a message that calls {@code done} on the hardware thread after all earlier messages, for example about lost nodes, were processed. */
  public static HardwareMessage settle(Runnable done) {
    return new Settle(done);
  }

  /** Ends all connections and look-ups because the node is closed. */
  private void close() {
    for (Entry entry : List.copyOf(entries.values())) {
      tellPeer(entry, RejectReason.UNKNOWN_NODE);
      end(entry, false, RejectReason.CLOSED);
    }
    lookups.rejectAll(RejectReason.CLOSED);
  }

  private static void tellPeer(Entry entry, RejectReason refusal) {
    switch (entry.state) {
      case REQ_SENT -> {} // The peer's id is unknown. Its answer is ignored, and it gives up.
      case REQ_RECEIVED -> entry.peerCm.tell(new Rej(entry.peerId, refusal, NOTHING));
      case REP_SENT, ESTABLISHED -> entry.peerCm.tell(new Dreq(entry.peerId));
    }
  }

  private void watch(ActorRef<?> consumer) {
    if (consumers.add(consumer)) {
      context.watch(consumer);
    }
  }

  private void own(Entry entry, ConnectionObserver observer) {
    entry.observer = observer;
    entry.consumer = observer instanceof ActorObserver actor ? actor.consumer() : null;
    if (entry.consumer != null) {
      watch(entry.consumer);
    }
  }

  private Behavior<HardwareMessage> onConsumerEnded(Terminated ended) {
    ActorRef<?> consumer = ended.getRef();
    consumers.remove(consumer);
    services.removeAll(consumer);
    for (Entry entry : List.copyOf(entries.values())) {
      if (consumer.equals(entry.consumer)) {
        if (entry.state == State.REQ_SENT) {
          entry.isAbandoned = true; // The peer's answer brings the id that a DREQ needs.
          entry.observer = NoObserver.INSTANCE;
        } else {
          entries.remove(entry.id);
          flush(entry);
          tellPeer(entry, RejectReason.INVALID_SERVICE_ID);
        }
      }
    }
    return Behaviors.same();
  }

  private Behavior<HardwareMessage> onMessage(HardwareMessage message) {
    switch (message) {
      case CmMessage remote -> onRemote(remote);
      case Local local -> onLocal(local);
      default -> unknownMessages.add("the connection manager of " + node, message);
    }
    return Behaviors.same();
  }

  private void onLocal(Local message) {
    switch (message) {
      case Connect connect -> onConnect(connect);
      case Accept accept -> onAccept(accept);
      case Reject reject -> onReject(reject);
      case Disconnect disconnect -> onDisconnect(disconnect.id());
      case Expired expired -> onExpired(expired.id());
      case Resolve resolve -> onResolve(resolve);
      case ResolveExpired expired -> lookups.rejected(expired.id(), RejectReason.TIMEOUT);
      case Watch watch -> watch(watch.consumer());
      case NodeLost lost -> onNodeLost(lost.node());
      case Inspect inspect -> inspect.replyTo().tell(snapshot());
      case Settle settle -> settle.done().run();
    }
  }

  private void onRemote(CmMessage message) {
    switch (message) {
      case Req req -> onReq(req);
      case Rep rep -> onRep(rep);
      case Rej rej -> onRej(rej);
      case Rtu rtu -> onRtu(rtu);
      case Dreq dreq -> onDreq(dreq);
      case SidrReq req -> onSidrReq(req);
      case SidrRep rep -> lookups.resolved(rep.id(), rep.address());
      case SidrRej rej -> lookups.rejected(rej.id(), rej.reason());
    }
  }

  private Entry open(String peerNode, State state) {
    Entry entry = new Entry(nextId++, peerNode, state);
    entries.put(entry.id, entry);
    fabric.timers().at(fabric.clock().nowNs() + settings.connectTimeout().toNanos(), self, new Expired(entry.id));
    return entry;
  }

  private Endpoint endpointOf(QueuePair qp, int pathMtu, int rdAtomic) {
    return new Endpoint(hca.lid(), qp.qpNum(), qp.type(), fabric.random().nextInt() & 0xffffff, pathMtu, rdAtomic);
  }

  /** Returns the largest power of two that this node's links and the path to the peer allow. */
  private int pathMtuTo(String peerNode) {
    return Integer.highestOneBit(Math.min(pathMtuMax, directory.pathMtuTo(peerNode)));
  }

  private CmSnapshot snapshot() {
    return new CmSnapshot(services.names(), services.datagramNames(), settings.connectionsMax(), entries.values().stream().map(entry ->
        new CmSnapshot.Entry(entry.id, entry.peerNode, entry.state.name(), entry.qp == null ? 0 : entry.qp.qpNum())).toList(),
        lookups.size(), unknownMessages.count());
  }

  // Datagram services.

  private void onResolve(Resolve resolve) {
    if (services.isClosed()) {
      resolve.observer().onRejected(RejectReason.CLOSED);
      return;
    }
    Optional<NodeEntry> peer = directory.lookup(resolve.node());
    if (peer.isEmpty() || lookups.isFull()) {
      resolve.observer().onRejected(peer.isEmpty() ? RejectReason.UNKNOWN_NODE : RejectReason.NO_RESOURCES);
      return;
    }
    long id = lookups.open(resolve.observer());
    fabric.timers().at(fabric.clock().nowNs() + settings.connectTimeout().toNanos(), self, new ResolveExpired(id));
    peer.get().cm().tell(new SidrReq(id, self, resolve.service()));
  }

  private void onSidrReq(SidrReq req) {
    QueuePair qp = services.findDatagrams(req.service());
    req.from().tell(qp == null ? new SidrRej(req.id(), RejectReason.INVALID_SERVICE_ID)
        : new SidrRep(req.id(), new DatagramAddress(hca.lid(), qp.qpNum(), qp.query().qkey())));
  }

  // The active side.

  private void onConnect(Connect connect) {
    if (services.isClosed()) {
      connect.observer().onRejected(RejectReason.CLOSED, NOTHING);
      return;
    }
    Optional<NodeEntry> peer = directory.lookup(connect.node());
    if (peer.isEmpty()) {
      connect.observer().onRejected(RejectReason.UNKNOWN_NODE, NOTHING);
      return;
    }
    if (entries.size() >= settings.connectionsMax()) {
      connect.observer().onRejected(RejectReason.NO_RESOURCES, NOTHING);
      return;
    }
    Entry entry = open(connect.node(), State.REQ_SENT);
    entry.qp = connect.qp();
    entry.options = connect.options();
    own(entry, connect.observer());
    entry.peerCm = peer.get().cm();
    entry.own = endpointOf(connect.qp(), pathMtuTo(connect.node()), connect.options().rdAtomic());
    entry.peerCm.tell(new Req(entry.id, node, self, connect.service(), entry.own, connect.privateData()));
  }

  private void onRep(Rep rep) {
    Entry entry = entries.get(rep.id());
    if (entry == null || entry.state != State.REQ_SENT) {
      return;
    }
    entry.peerId = rep.peerId();
    entry.peer = rep.endpoint();
    entry.peerData = rep.privateData();
    if (entry.isAbandoned) {
      entries.remove(entry.id);
      entry.peerCm.tell(new Dreq(entry.peerId));
      return;
    }
    if (!toRts(entry, rep.endpoint().pathMtu(), rep.endpoint().rdAtomic())) {
      entry.peerCm.tell(new Dreq(entry.peerId));
      entries.remove(entry.id);
      entry.observer.onRejected(RejectReason.CONSUMER, NOTHING);
      return;
    }
    entry.state = State.ESTABLISHED;
    entry.peerCm.tell(new Rtu(entry.peerId, NOTHING));
    entry.observer.onEstablished(entry.connection, rep.privateData());
  }

  private void onRej(Rej rej) {
    Entry entry = entries.get(rej.id());
    if (entry != null && entry.state == State.REQ_SENT) {
      entries.remove(entry.id);
      entry.observer.onRejected(rej.reason(), rej.privateData());
    }
  }

  // The passive side.

  private void onReq(Req req) {
    ConnectionListener listener = services.find(req.service());
    RejectReason refusal = services.isClosed() ? RejectReason.UNKNOWN_NODE : listener == null ? RejectReason.INVALID_SERVICE_ID
        : entries.size() >= settings.connectionsMax() ? RejectReason.NO_RESOURCES : null;
    if (refusal != null) {
      req.from().tell(new Rej(req.id(), refusal, NOTHING));
      return;
    }
    Entry entry = open(req.node(), State.REQ_RECEIVED);
    entry.peerId = req.id();
    entry.peer = req.endpoint();
    entry.peerData = req.privateData();
    entry.peerCm = req.from();
    entry.consumer = listener instanceof ActorListener actor ? actor.consumer() : null;
    IncomingRequest request = new IncomingRequest(hca, self, entry.id, req.node(), req.privateData());
    if (!Guarded.call(() -> listener.onConnectRequest(request))) {
      request.reject(NOTHING); // Without effect if the listener has answered.
    }
  }

  private void onAccept(Accept accept) {
    Entry entry = entries.get(accept.id());
    if (entry == null || entry.state != State.REQ_RECEIVED) {
      accept.observer().onRejected(RejectReason.TIMEOUT, NOTHING);
      return;
    }
    entry.qp = accept.qp();
    entry.options = accept.options();
    own(entry, accept.observer());
    int pathMtu = Math.min(pathMtuTo(entry.peerNode), entry.peer.pathMtu());
    int rdAtomic = Math.min(accept.options().rdAtomic(), entry.peer.rdAtomic());
    entry.own = endpointOf(accept.qp(), pathMtu, rdAtomic);
    if (!toRts(entry, pathMtu, rdAtomic)) {
      entries.remove(entry.id);
      entry.peerCm.tell(new Rej(entry.peerId, RejectReason.CONSUMER, NOTHING));
      accept.observer().onRejected(RejectReason.CONSUMER, NOTHING);
      return;
    }
    entry.state = State.REP_SENT;
    entry.peerCm.tell(new Rep(entry.peerId, entry.id, entry.own, accept.privateData()));
  }

  private void onReject(Reject reject) {
    Entry entry = entries.get(reject.id());
    if (entry != null && entry.state == State.REQ_RECEIVED) {
      entries.remove(entry.id);
      entry.peerCm.tell(new Rej(entry.peerId, reject.reason(), reject.privateData()));
    }
  }

  private void onRtu(Rtu rtu) {
    Entry entry = entries.get(rtu.id());
    if (entry != null && entry.state == State.REP_SENT) {
      entry.state = State.ESTABLISHED;
      entry.observer.onEstablished(entry.connection, rtu.privateData());
    }
  }

  // Both sides.

  /**
   * Takes the queue pair to RTS. Returns false if that fails: the consumer has destroyed or reset it, the device has lower limits, or the peer's queue
   * pair has another transport service.
   */
  private boolean toRts(Entry entry, int pathMtu, int rdAtomic) {
    if (entry.qp.state() != QpState.INIT || entry.qp.type() != entry.peer.type()) {
      return false;
    }
    try {
      modifyToRts(entry, pathMtu, rdAtomic);
    } catch (VerbsException refused) {
      return false;
    }
    entry.connection = new ActiveConnection(self, entry.id, entry.qp, entry.peerNode, entry.peer.lid(), entry.peer.qpNum(),
        entry.peerData);
    return true;
  }

  private static void modifyToRts(Entry entry, int pathMtu, int rdAtomic) {
    if (entry.qp.type() != QpType.RC) {
      entry.qp.modify(entry.qp.type() == QpType.UD ? QpAttr.rtrUd() : QpAttr.rtrUc().destLid(entry.peer.lid())
          .destQpNum(entry.peer.qpNum()).rqPsn(entry.peer.psn()).pathMtu(pathMtu).serviceLevel(entry.options.serviceLevel()));
      entry.qp.modify(QpAttr.rtsUnreliable(entry.own.psn()));
      return;
    }
    ConnectionOptions o = entry.options;
    entry.qp.modify(QpAttr.rtr().destLid(entry.peer.lid()).destQpNum(entry.peer.qpNum()).rqPsn(entry.peer.psn()).pathMtu(pathMtu)
        .serviceLevel(o.serviceLevel()).maxDestRdAtomic(rdAtomic).minRnrTimer(o.minRnrTimer()));
    entry.qp.modify(QpAttr.rts(entry.own.psn()).timeout(o.timeout()).retryCnt(o.retryCnt())
        .rnrRetry(o.rnrRetry()).maxRdAtomic(rdAtomic));
  }

  private void onDreq(Dreq dreq) {
    Entry entry = entries.get(dreq.id());
    if (entry != null) {
      end(entry, false);
    }
  }

  private void onDisconnect(long id) {
    Entry entry = entries.remove(id);
    if (entry != null) {
      flush(entry);
      entry.peerCm.tell(new Dreq(entry.peerId));
    }
  }

  private void onNodeLost(String lost) {
    List<Entry> affected = new ArrayList<>();
    for (Entry entry : entries.values()) {
      if (entry.peerNode.equals(lost)) {
        affected.add(entry);
      }
    }
    for (Entry entry : affected) {
      end(entry, true);
    }
    services.nodeLost(lost);
  }

  private void onExpired(long id) {
    Entry entry = entries.get(id);
    if (entry == null || entry.state == State.ESTABLISHED) {
      return;
    }
    switch (entry.state) {
      case REQ_SENT -> {
        entries.remove(id);
        entry.observer.onRejected(RejectReason.TIMEOUT, NOTHING);
      }
      case REQ_RECEIVED -> {
        entries.remove(id);
        entry.peerCm.tell(new Rej(entry.peerId, RejectReason.TIMEOUT, NOTHING));
      }
      case REP_SENT -> {
        entry.peerCm.tell(new Dreq(entry.peerId));
        end(entry, false);
      }
      case ESTABLISHED -> throw new IllegalStateException("an established connection does not expire");
    }
  }

  private void end(Entry entry, boolean nodeLost) {
    end(entry, nodeLost, nodeLost ? RejectReason.UNKNOWN_NODE : RejectReason.TIMEOUT);
  }

  private void end(Entry entry, boolean nodeLost, RejectReason unlessEstablished) {
    entries.remove(entry.id);
    flush(entry);
    if (entry.observer == null) {
      return;
    }
    if (entry.state != State.ESTABLISHED) {
      entry.observer.onRejected(unlessEstablished, NOTHING);
    } else {
      entry.observer.onDisconnected(entry.connection, nodeLost);
    }
  }

  private static void flush(Entry entry) {
    if (entry.connection == null || entry.qp.isDestroyed() || entry.qp.hca().isClosed() || entry.qp.state() == QpState.RESET) {
      return;
    }
    QpAttr now = entry.qp.query();
    boolean goesToPeer = entry.qp.type() == QpType.UD || now.destLid() == entry.peer.lid() && now.destQpNum() == entry.peer.qpNum();
    boolean isOfThisConnection = goesToPeer && entry.qp.state() != QpState.INIT;
    if (isOfThisConnection) {
      entry.qp.modify(new QpAttr().state(QpState.ERR));
    }
  }
}
