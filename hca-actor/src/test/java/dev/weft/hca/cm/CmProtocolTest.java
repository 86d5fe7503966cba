package dev.weft.hca.cm;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import akka.actor.testkit.typed.javadsl.BehaviorTestKit;
import akka.actor.testkit.typed.javadsl.TestInbox;
import akka.actor.typed.ActorRef;
import akka.actor.typed.Terminated;
import dev.weft.fabric.HardwareMessage;
import dev.weft.fabric.link.LinkFaults;
import dev.weft.fabric.node.NodeEntry;
import dev.weft.fabric.time.ManualTime;
import dev.weft.hca.cm.CmMessage.Dreq;
import dev.weft.hca.cm.CmMessage.Endpoint;
import dev.weft.hca.cm.CmMessage.Rej;
import dev.weft.hca.cm.CmMessage.Rep;
import dev.weft.hca.cm.CmMessage.Req;
import dev.weft.hca.cm.CmMessage.Rtu;
import dev.weft.hca.node.EmptyDirectory;
import dev.weft.hca.node.VirtualFabric;
import dev.weft.hca.verbs.CompletionQueue;
import dev.weft.hca.verbs.Hca;
import dev.weft.hca.verbs.ProtectionDomain;
import dev.weft.hca.verbs.QpInitAttr;
import dev.weft.hca.verbs.QpState;
import dev.weft.hca.verbs.QpType;
import dev.weft.hca.verbs.QueuePair;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The protocol of a connection manager, message by message. Its neighbours are inboxes: the connection manager of the node {@code peer}, and an
 * actor of this node. Time passes when the test says so.
 */
@Tag("simulation")
@Timeout(180)
class CmProtocolTest {
  private static final long TIMEOUT_NS = 7_000_000_000L;
  private static final byte[] HELLO = {1, 2};
  private static final byte[] WELCOME = {3};
  private static final byte[] NOTHING = {};
  private static final Endpoint THERE = new Endpoint(9, 99, QpType.RC, 17, 1024, 4);

  /** One other node. */
  private final class OnePeer extends EmptyDirectory {
    private final List<Consumer<String>> listeners = new ArrayList<>();

    @Override
    public Optional<NodeEntry> lookup(String node) {
      return node.equals("peer") ? Optional.of(new NodeEntry("peer", THERE.lid(), "there", peer.getRef())) : Optional.empty();
    }

    @Override
    public Subscription onNodeLost(Consumer<String> listener) {
      listeners.add(listener);
      return () -> listeners.remove(listener);
    }
  }

  private final VirtualFabric fabric = VirtualFabric.create(1, LinkFaults.NONE);
  private final Hca hca = fabric.addNode("here").hca();
  private final ProtectionDomain pd = hca.allocPd();
  private final CompletionQueue cq = hca.createCq(64);
  private final QueuePair qp = hca.createQp(pd, QpInitAttr.of(cq, 4));

  private final TestInbox<HardwareMessage> peer = TestInbox.create("peer-cm");
  private final TestInbox<ConnectionEvent> consumer = TestInbox.create("consumer");
  private final TestInbox<ConnectionRequest> service = TestInbox.create("service");
  private final OnePeer directory = new OnePeer();
  private final ManualTime time = new ManualTime();
  private final CmServices services = new CmServices();
  private final BehaviorTestKit<HardwareMessage> cm = BehaviorTestKit.create(CmActor.create(hca, services, directory,
      time.context(1), new CmSettings(Duration.ofNanos(TIMEOUT_NS), 2), 4096));
  private final ConnectionManager client = new CmClient(hca, services, cm.getRef());

  @AfterEach
  void close() {
    fabric.close();
  }

  private void work() {
    while (cm.selfInbox().hasMessages()) {
      cm.runOne();
    }
  }

  private void hears(HardwareMessage message) {
    cm.run(message);
    work();
  }

  @SuppressWarnings({"unchecked", "rawtypes"}) // What has ended takes no message of any type.
  private void ends(TestInbox<?> actor) {
    cm.signal(new Terminated((ActorRef) actor.getRef()));
  }

  private void pass(long ns) {
    time.pass(ns);
    work();
  }

  private void connect(Object context) {
    client.connect("peer", "echo", qp, ConnectionOptions.DEFAULT, HELLO, consumer.getRef(), context);
    work();
  }

  private Req asked() {
    return assertInstanceOf(Req.class, peer.receiveMessage());
  }

  private void silence() {
    assertFalse(peer.hasMessages(), () -> "the peer was told " + peer.getAllReceived());
    assertFalse(consumer.hasMessages(), () -> "the consumer was told " + consumer.getAllReceived());
    assertFalse(service.hasMessages());
  }

  private Connection established(Object context, byte[] data) {
    ConnectionEvent.Established event = assertInstanceOf(ConnectionEvent.Established.class, consumer.receiveMessage());
    assertEquals(context, event.context());
    assertArrayEquals(data, event.privateData());
    return event.connection();
  }

  private void rejected(RejectReason reason, byte[] data) {
    ConnectionEvent.Rejected event = assertInstanceOf(ConnectionEvent.Rejected.class, consumer.receiveMessage());
    assertEquals(reason, event.reason());
    assertArrayEquals(data, event.privateData());
  }

  private void disconnected(boolean nodeLost) {
    assertEquals(nodeLost, assertInstanceOf(ConnectionEvent.Disconnected.class, consumer.receiveMessage()).nodeLost());
    assertEquals(QpState.ERR, qp.state());
  }

  // ---- the active side

  @Test
  void shouldAskAnswerReadyAndTellWhoAskedOnce() {
    connect("first");
    Req req = asked();
    assertEquals("here", req.node());
    assertEquals("echo", req.service());
    assertArrayEquals(HELLO, req.privateData());
    assertEquals(qp.qpNum(), req.endpoint().qpNum());
    assertEquals(QpState.INIT, qp.state());
    silence();

    hears(new Rep(req.id(), 70, THERE, WELCOME));
    Rtu rtu = assertInstanceOf(Rtu.class, peer.receiveMessage());
    assertEquals(70, rtu.id());
    assertEquals(QpState.RTS, qp.state());
    assertEquals(THERE.qpNum(), established("first", WELCOME).peerQpNum());

    hears(new Rep(req.id(), 70, THERE, WELCOME)); // Repeated.
    hears(new Rej(req.id(), RejectReason.CONSUMER, NOTHING)); // Out of order.
    pass(TIMEOUT_NS);
    silence();

    hears(new Dreq(req.id()));
    disconnected(false);
    hears(new Dreq(req.id()));
    silence();
  }

  @Test
  void shouldTellWhoAskedThatItWasRefused() {
    connect("first");
    hears(new Rej(asked().id(), RejectReason.CONSUMER, WELCOME));
    rejected(RejectReason.CONSUMER, WELCOME);
    pass(TIMEOUT_NS);
    silence();
  }

  @Test
  void shouldGiveUpWhenNoAnswerComesAndTakeNoneLater() {
    connect("first");
    Req req = asked();
    pass(TIMEOUT_NS - 1);
    silence();
    pass(1);
    rejected(RejectReason.TIMEOUT, NOTHING);
    hears(new Rep(req.id(), 70, THERE, WELCOME));
    silence();
    assertEquals(QpState.INIT, qp.state());
  }

  @Test
  void shouldSayGoodByeToAnAnswerThatItsQueuePairCannotTake() {
    connect("first");
    Req req = asked();
    hca.destroyQp(qp);
    hears(new Rep(req.id(), 70, THERE, WELCOME));
    assertEquals(70, assertInstanceOf(Dreq.class, peer.receiveMessage()).id());
    rejected(RejectReason.CONSUMER, NOTHING);
    silence();
  }

  @Test
  void shouldRefuseAtOnceWhatCannotBeAsked() {
    client.connect("nobody", "echo", qp, ConnectionOptions.DEFAULT, HELLO, consumer.getRef(), 1);
    work();
    rejected(RejectReason.UNKNOWN_NODE, NOTHING);
    for (int i = 0; i < 3; i++) {
      client.connect("peer", "echo", hca.createQp(pd, QpInitAttr.of(cq, 4)), ConnectionOptions.DEFAULT, HELLO, consumer.getRef(), i);
      work();
    }
    rejected(RejectReason.NO_RESOURCES, NOTHING); // Two connections are allowed here.
    assertEquals(2, peer.getAllReceived().size());
    silence();
  }

  @Test
  void shouldEndAConnectionWhenToldOrWhenItsNodeIsLost() {
    connect("first");
    Req req = asked();
    hears(new Rep(req.id(), 70, THERE, WELCOME));
    peer.receiveMessage();
    established("first", WELCOME);
    directory.listeners.forEach(listener -> listener.accept("another"));
    work();
    silence();
    directory.listeners.forEach(listener -> listener.accept("peer"));
    work();
    disconnected(true);
    silence();
  }

  @Test
  void shouldSayGoodByeOnceForAConsumerThatDisconnects() {
    connect("first");
    hears(new Rep(asked().id(), 70, THERE, WELCOME));
    peer.receiveMessage();
    Connection connection = established("first", WELCOME);
    connection.disconnect();
    connection.disconnect();
    work();
    assertEquals(70, assertInstanceOf(Dreq.class, peer.receiveMessage()).id());
    assertEquals(QpState.ERR, qp.state());
    silence();
  }

  @Test
  void shouldEndWhatAnActorLeavesBehindThoughItHasNotHeardOfIt() {
    connect("first");
    hears(new Rep(asked().id(), 70, THERE, WELCOME));
    peer.receiveMessage();
    consumer.receiveMessage(); // It lies in the mailbox of an actor that stops.
    ends(consumer);
    assertEquals(70, assertInstanceOf(Dreq.class, peer.receiveMessage()).id());
    assertEquals(QpState.ERR, qp.state());
    silence();
  }

  @Test
  void shouldTellThePeerWhenItAnswersAnActorThatHasEndedMeanwhile() {
    connect("first");
    Req req = asked();
    ends(consumer);
    silence();
    hears(new Rep(req.id(), 70, THERE, WELCOME));
    assertEquals(70, assertInstanceOf(Dreq.class, peer.receiveMessage()).id());
    assertEquals(QpState.INIT, qp.state());
    hears(new Rep(req.id(), 70, THERE, WELCOME));
    silence();
  }

  @Test
  void shouldForgetAnActorThatHasEndedWhenThePeerRefusesOrSaysNothing() {
    connect("first");
    Req refused = asked();
    ends(consumer);
    hears(new Rej(refused.id(), RejectReason.CONSUMER, NOTHING));
    silence();
    pass(TIMEOUT_NS);
    silence();
  }

  // ---- the passive side

  private ConnectionRequest request() {
    client.listen("echo", service.getRef());
    work();
    hears(new Req(50, "peer", peer.getRef(), "echo", THERE, HELLO));
    ConnectionRequest request = service.receiveMessage();
    assertEquals("peer", request.peerNode());
    assertArrayEquals(HELLO, request.privateData());
    silence();
    return request;
  }

  private Rep accept(ConnectionRequest request) {
    request.accept(qp, ConnectionOptions.DEFAULT, WELCOME, consumer.getRef(), "second");
    work();
    Rep rep = assertInstanceOf(Rep.class, peer.receiveMessage());
    assertEquals(50, rep.id());
    assertArrayEquals(WELCOME, rep.privateData());
    assertEquals(qp.qpNum(), rep.endpoint().qpNum());
    assertEquals(QpState.RTS, qp.state());
    silence();
    return rep;
  }

  @Test
  void shouldAskTheServiceAnswerAndTellItWhenTheOtherSideIsReady() {
    Rep rep = accept(request());
    hears(new Rtu(rep.peerId(), NOTHING));
    established("second", NOTHING);
    hears(new Rtu(rep.peerId(), NOTHING)); // Repeated.
    pass(TIMEOUT_NS);
    silence();
    hears(new Dreq(rep.peerId()));
    disconnected(false);
    silence();
  }

  @Test
  void shouldNotTakeReadinessBeforeItHasAnswered() {
    ConnectionRequest request = request();
    hears(new Rtu(1, NOTHING));
    silence();
    accept(request);
  }

  @Test
  void shouldSayGoodByeWhenTheOtherSideIsNotReadyInTime() {
    accept(request());
    pass(TIMEOUT_NS);
    assertEquals(50, assertInstanceOf(Dreq.class, peer.receiveMessage()).id());
    rejected(RejectReason.TIMEOUT, NOTHING);
    assertEquals(QpState.ERR, qp.state());
    silence();
  }

  @Test
  void shouldRefuseForAServiceThatRefusesOrDoesNotAnswerOrIsNotThere() {
    ConnectionRequest request = request();
    request.reject(WELCOME);
    work();
    Rej refusal = assertInstanceOf(Rej.class, peer.receiveMessage());
    assertEquals(RejectReason.CONSUMER, refusal.reason());
    assertArrayEquals(WELCOME, refusal.privateData());
    request.reject(WELCOME);
    work();
    silence();

    hears(new Req(51, "peer", peer.getRef(), "echo", THERE, HELLO));
    service.receiveMessage();
    pass(TIMEOUT_NS);
    assertEquals(RejectReason.TIMEOUT, assertInstanceOf(Rej.class, peer.receiveMessage()).reason());

    hears(new Req(52, "peer", peer.getRef(), "another", THERE, HELLO));
    assertEquals(RejectReason.INVALID_SERVICE_ID, assertInstanceOf(Rej.class, peer.receiveMessage()).reason());
    silence();
  }

  @Test
  void shouldRefuseWhatAnActorThatEndedHasNotAnsweredAndOfferItsServiceNoMore() {
    request();
    ends(service);
    Rej refusal = assertInstanceOf(Rej.class, peer.receiveMessage());
    assertEquals(50, refusal.id());
    assertEquals(RejectReason.INVALID_SERVICE_ID, refusal.reason());
    assertNull(services.find("echo"));
    hears(new Req(51, "peer", peer.getRef(), "echo", THERE, HELLO));
    assertEquals(51, assertInstanceOf(Rej.class, peer.receiveMessage()).id());
    client.listen("echo", service.getRef());
    work();
    assertNotNull(services.find("echo"));
    silence();
  }

  @Test
  void shouldTellBothSidesWhenItsNodeIsClosed() {
    Rep rep = accept(request());
    hears(new Rtu(rep.peerId(), NOTHING));
    established("second", NOTHING);
    services.close();
    assertEquals(50, assertInstanceOf(Dreq.class, peer.receiveMessage()).id());
    disconnected(false);
    hears(new Req(52, "peer", peer.getRef(), "echo", THERE, HELLO));
    assertEquals(RejectReason.UNKNOWN_NODE, assertInstanceOf(Rej.class, peer.receiveMessage()).reason());
    silence();
  }
}
