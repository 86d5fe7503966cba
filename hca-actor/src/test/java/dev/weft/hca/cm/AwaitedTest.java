package dev.weft.hca.cm;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.fabric.link.LinkFaults;
import dev.weft.hca.node.Node;
import dev.weft.hca.node.VirtualFabric;
import dev.weft.hca.verbs.QpInitAttr;
import dev.weft.hca.verbs.QpState;
import dev.weft.hca.verbs.QueuePair;
import dev.weft.hca.verbs.VerbsException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Connections that are waited for, and private data that is not given. */
@Tag("simulation")
@Timeout(180)
class AwaitedTest {
  private static final byte[] HELLO = {1, 2, 3};
  private static final byte[] WELCOME = {4, 5};

  private final VirtualFabric fabric = VirtualFabric.create(1, LinkFaults.NONE);
  private final Node a = fabric.addNode("a");
  private final Node b = fabric.addNode("b");

  @AfterEach
  void close() {
    fabric.close();
  }

  private static QueuePair qp(Node node) {
    return node.hca().createQp(node.hca().allocPd(), QpInitAttr.of(node.hca().createCq(8), 4));
  }

  private <T> CompletableFuture<T> run(CompletionStage<T> stage) {
    CompletableFuture<T> result = stage.toCompletableFuture();
    assertTrue(fabric.system().runUntil(result::isDone, 60_000_000_000L));
    return result;
  }

  private ConnectionRejectedException rejected(CompletionStage<Connection> stage) {
    CompletableFuture<Connection> result = run(stage);
    return assertInstanceOf(ConnectionRejectedException.class, assertThrows(CompletionException.class, result::join).getCause());
  }

  @Test
  void shouldGiveBothSidesTheConnectionWithWhatTheOtherSaid() {
    List<CompletionStage<Connection>> accepted = new ArrayList<>();
    b.cm().listen("s", request -> accepted.add(request.accept(qp(b), WELCOME)));
    Connection active = run(a.cm().connect("b", "s", qp(a), HELLO)).join();
    Connection passive = run(accepted.getFirst()).join();
    assertArrayEquals(WELCOME, active.privateData());
    assertArrayEquals(HELLO, passive.privateData());
    assertEquals(QpState.RTS, active.qp().state());
    assertEquals(QpState.RTS, passive.qp().state());
    active.privateData()[0] = 9;
    assertArrayEquals(WELCOME, active.privateData());
  }

  @Test
  void shouldTakeNullForNoPrivateData() {
    List<byte[]> heard = new ArrayList<>();
    b.cm().listen("s", request -> {
      heard.add(request.privateData());
      request.accept(qp(b), null);
    });
    b.cm().listen("no", request -> request.reject(null));
    assertEquals(0, run(a.cm().connect("b", "s", qp(a), null)).join().privateData().length);
    assertEquals(0, heard.getFirst().length);
    assertEquals(0, rejected(a.cm().connect("b", "no", qp(a), null)).privateData().length);
  }

  @Test
  void shouldSayWhyThereIsNoConnection() {
    b.cm().listen("no", request -> request.reject(WELCOME));
    ConnectionRejectedException refused = rejected(a.cm().connect("b", "no", qp(a), null));
    assertEquals(RejectReason.CONSUMER, refused.reason());
    assertArrayEquals(WELCOME, refused.privateData());
    ConnectionRejectedException unknown = rejected(a.cm().connect("nobody", "s", qp(a), null));
    assertEquals(RejectReason.UNKNOWN_NODE, unknown.reason());
    assertEquals("service s of node nobody: UNKNOWN_NODE, the fabric has no node of this name", unknown.getMessage());
    assertEquals(RejectReason.INVALID_SERVICE_ID, rejected(a.cm().connect("b", "other", qp(a), null)).reason());
  }

  @Test
  void shouldRefuseWrongArgumentsAtOnce() {
    QueuePair qp = qp(a);
    assertThrows(VerbsException.class, () -> a.cm().connect("b", "s", qp, new byte[ConnectionManager.PRIVATE_DATA_BYTES_MAX + 1]));
    assertEquals(QpState.RESET, qp.state());
  }
}
