package dev.weft.hca.cm;

import static dev.weft.hca.verbs.Refusal.refused;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import akka.actor.typed.ActorRef;
import akka.actor.typed.Behavior;
import akka.actor.typed.javadsl.Behaviors;
import dev.weft.fabric.HardwareMessage;
import dev.weft.hca.node.EmptyDirectory;
import dev.weft.hca.node.Node;
import dev.weft.hca.node.VirtualFabric;
import dev.weft.hca.verbs.Access;
import dev.weft.hca.verbs.QpAttr;
import dev.weft.hca.verbs.QpState;
import dev.weft.hca.verbs.QpType;
import dev.weft.hca.verbs.QueuePair;
import dev.weft.hca.verbs.ReceiveRequest;
import dev.weft.hca.verbs.VerbsException.Errno;
import dev.weft.hca.verbs.WorkCompletion;
import dev.weft.hca.verbs.WorkRequest;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Connection set-up; also rdma-core's tests/test_rdmacm.py, see docs/reference/rdma-core-tests.md. */
@Tag("simulation")
class CmTest {
  private static final long SECOND = 1_000_000_000L;
  private static final byte[] NONE = new byte[0];

  private final VirtualFabric fabric = CmEnd.fabric();
  private final End a = new End(fabric.addNode("a"));
  private final End b = new End(fabric.addNode("b"));

  /** One that also keeps the requests for a connection. */
  private static final class End extends CmEnd {
    final List<ConnectionRequest> requests = new ArrayList<>();

    End(Node node) {
      super(node, Access.ALL);
    }

    QueuePair qp() {
      return qp(QpType.RC);
    }

    WorkCompletion poll() {
      WorkCompletion wc = new WorkCompletion();
      return cq.poll(wc) ? wc : null;
    }
  }

  /** A directory of nobody that remembers who listens. */
  private static final class ListenedDirectory extends EmptyDirectory {
    final List<Consumer<String>> listeners = new ArrayList<>();

    @Override
    public Subscription onNodeLost(Consumer<String> listener) {
      listeners.add(listener);
      return () -> listeners.remove(listener);
    }
  }

  /** Writes down what an observer is told. */
  private static final class Log implements ConnectionObserver {
    final List<String> calls = new ArrayList<>();
    Connection connection;
    byte[] data;

    @Override
    public void onEstablished(Connection established, byte[] privateData) {
      connection = established;
      data = privateData;
      calls.add("established");
    }

    @Override
    public void onRejected(RejectReason reason, byte[] privateData) {
      data = privateData;
      calls.add("rejected " + reason);
    }

    @Override
    public void onDisconnected(Connection lost, boolean nodeLost) {
      calls.add(nodeLost ? "node lost" : "disconnected");
    }
  }

  @AfterEach
  void close() {
    fabric.close();
  }

  private void run() {
    fabric.system().runFor(5 * SECOND);
  }

  private Log connect(End from, QueuePair qp, String to, String service, byte... data) {
    Log log = new Log();
    from.node.cm().connect(to, service, qp, ConnectionOptions.DEFAULT, data, log);
    return log;
  }

  /** Connects a to a service of b that accepts; answers both logs, a's first. */
  private Log[] connected(QueuePair qpA, QueuePair qpB) {
    Log atB = new Log();
    b.node.cm().listen("s", request -> request.accept(qpB, ConnectionOptions.DEFAULT, new byte[] {9}, atB));
    Log atA = connect(a, qpA, "b", "s", (byte) 1);
    run();
    assertEquals(List.of("established"), atA.calls);
    assertEquals(List.of("established"), atB.calls);
    b.node.cm().unlisten("s");
    return new Log[] {atA, atB};
  }

  @Test
  void shouldRefuseAQueuePairOfAnotherNode() {
    QueuePair foreign = b.qp();
    QueuePair datagrams = b.qp(QpType.UD);
    Log log = new Log();
    refused(Errno.EINVAL, () -> a.node.cm().connect("b", "s", foreign, ConnectionOptions.DEFAULT, null, log));
    refused(Errno.EINVAL, () -> a.node.cm().offerDatagrams("d", datagrams));
    assertEquals(QpState.RESET, foreign.state());
    b.node.cm().listen("s", request -> {
      refused(Errno.EINVAL, () -> request.accept(a.qp(), ConnectionOptions.DEFAULT, null, new Log()));
      request.accept(foreign, ConnectionOptions.DEFAULT, null, new Log());
    });
    Log atA = connect(a, a.qp(), "b", "s");
    run();
    assertEquals(List.of(), log.calls);
    assertEquals(List.of("established"), atA.calls, "a refused answer changes nothing");
  }

  @Test
  void shouldRejectAtOnceWhereAListenerFails() {
    b.node.cm().listen("s", request -> {
      throw new IllegalStateException("on purpose");
    });
    Log atA = connect(a, a.qp(), "b", "s");
    fabric.system().runFor(SECOND / 10);
    assertEquals(List.of("rejected CONSUMER"), atA.calls);
  }

  @Test
  void shouldGoOnWhereAListenerFailsAfterItHasAccepted() {
    b.node.cm().listen("s", request -> {
      request.accept(b.qp(), ConnectionOptions.DEFAULT, null, new Log());
      throw new IllegalStateException("on purpose");
    });
    Log atA = connect(a, a.qp(), "b", "s");
    run();
    assertEquals(List.of("established"), atA.calls);
  }

  /** tests/test_rdmacm.py */
  @Nested
  class RdmaCm {
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void testRdmacmTraffic(boolean fromActive) {
      QueuePair qpA = a.qp();
      QueuePair qpB = b.qp();
      connected(qpA, qpB);
      End from = fromActive ? a : b;
      End to = fromActive ? b : a;
      from.memory.set(ValueLayout.JAVA_LONG, 0, 77);
      (fromActive ? qpB : qpA).postReceive(new ReceiveRequest().receive(1).sge(to.mr, 8, 8));
      (fromActive ? qpA : qpB).postSend(new WorkRequest().send().sge(from.mr, 0, 8).signaled());
      run();
      assertTrue(from.poll().isSuccess());
      assertEquals(8, to.poll().byteLen());
      assertEquals(77, to.memory.get(ValueLayout.JAVA_LONG, 8));
    }

    @Test
    void testRdmacmAsyncRejectTraffic() {
      b.node.cm().listen("s", request -> request.reject(new byte[] {4, 5}));
      QueuePair qp = a.qp();
      Log log = connect(a, qp, "b", "s");
      run();
      assertEquals(List.of("rejected CONSUMER"), log.calls);
      assertArrayEquals(new byte[] {4, 5}, log.data);
      assertEquals(QpState.INIT, qp.state());
    }

    @Test
    void testRdmacmAsyncTrafficExternalQp() {
      QueuePair qpA = a.qp();
      Log[] logs = connected(qpA, b.qp());
      assertEquals(qpA, logs[0].connection.qp());
      assertEquals("b", logs[0].connection.peerNode());
      assertEquals(b.node.hca().lid(), logs[0].connection.peerLid());
    }

    @ParameterizedTest
    @CsvSource({"true", "false"})
    void testRdmacmAsyncReadAndWrite(boolean read) {
      QueuePair qpA = a.qp();
      connected(qpA, b.qp());
      (read ? b : a).memory.set(ValueLayout.JAVA_LONG, 0, 88);
      qpA.postSend((read ? new WorkRequest().read(b.mr.addr(), b.mr.rkey()) : new WorkRequest().write(b.mr.addr(), b.mr.rkey()))
          .sge(a.mr, 0, 8).signaled());
      run();
      assertTrue(a.poll().isSuccess());
      assertEquals(88, (read ? a : b).memory.get(ValueLayout.JAVA_LONG, 0));
    }
  }

  /** What is said at set-up. */
  @Nested
  class SetUp {
    @Test
    void shouldCarryPrivateDataBothWays() {
      List<byte[]> seen = new ArrayList<>();
      QueuePair qpB = b.qp();
      b.node.cm().listen("s", request -> {
        seen.add(request.privateData());
        assertEquals("a", request.peerNode());
        request.accept(qpB, ConnectionOptions.DEFAULT, new byte[] {7, 8}, new Log());
      });
      byte[] mine = {1, 2, 3};
      Log log = connect(a, a.qp(), "b", "s", mine);
      mine[0] = 99;
      run();
      assertArrayEquals(new byte[] {1, 2, 3}, seen.getFirst());
      assertArrayEquals(new byte[] {7, 8}, log.data);
    }

    @Test
    void shouldRefuseTooMuchPrivateData() {
      refused(Errno.EINVAL, () -> connect(a, a.qp(), "b", "s", new byte[193]));
      connect(a, a.qp(), "b", "s", new byte[192]);
    }

    @Test
    void shouldRefuseASecondListenerOfOneName() {
      b.node.cm().listen("s", request -> {});
      refused(Errno.EBUSY, () -> b.node.cm().listen("s", request -> {}));
      a.node.cm().listen("s", request -> {});
      b.node.cm().unlisten("s");
      b.node.cm().listen("s", request -> {});
    }

    @Test
    void shouldRejectAnUnknownService() {
      Log log = connect(a, a.qp(), "b", "nobody");
      run();
      assertEquals(List.of("rejected INVALID_SERVICE_ID"), log.calls);
    }

    @Test
    void shouldRejectAnUnknownNode() {
      Log log = connect(a, a.qp(), "nowhere", "s");
      run();
      assertEquals(List.of("rejected UNKNOWN_NODE"), log.calls);
    }

    @Test
    void shouldRejectAfterTheTimeOutWhenTheListenerSaysNothing() {
      b.node.cm().listen("s", b.requests::add);
      Log log = connect(a, a.qp(), "b", "s");
      long startNs = fabric.system().nowNs();
      assertTrue(fabric.system().runUntil(() -> !log.calls.isEmpty(), 10 * SECOND));
      assertEquals(List.of("rejected TIMEOUT"), log.calls);
      assertTrue(fabric.system().nowNs() - startNs <= 2 * SECOND + 1000);
      Log late = new Log();
      b.requests.getFirst().accept(b.qp(), ConnectionOptions.DEFAULT, NONE, late);
      run();
      assertEquals(List.of("rejected TIMEOUT"), late.calls);
      assertEquals(1, log.calls.size());
    }

    @Test
    void shouldAcceptLaterThanTheRequestCame() {
      b.node.cm().listen("s", b.requests::add);
      Log log = connect(a, a.qp(), "b", "s");
      fabric.system().runFor(SECOND);
      b.requests.getFirst().accept(b.qp(), ConnectionOptions.DEFAULT, NONE, new Log());
      run();
      assertEquals(List.of("established"), log.calls);
    }

    @Test
    void shouldAllowReceivesBeforeTheConnectionIsEstablished() {
      QueuePair qp = a.qp();
      connect(a, qp, "b", "s");
      qp.postReceive(new ReceiveRequest().receive(1).sge(a.mr, 0, 8));
      assertEquals(1, qp.receiveQueueSize());
    }

    @Test
    void shouldTakeTheSmallerNumberOfOutstandingReads() {
      QueuePair qpA = a.qp();
      QueuePair qpB = b.qp();
      b.node.cm().listen("s", r -> r.accept(qpB, ConnectionOptions.DEFAULT.withServiceLevel(1).withRdAtomic(3), NONE, new Log()));
      connect(a, qpA, "b", "s");
      run();
      for (QueuePair qp : List.of(qpA, qpB)) {
        assertEquals(QpState.RTS, qp.state());
        assertEquals(3, qp.query().maxRdAtomic());
        assertEquals(3, qp.query().maxDestRdAtomic());
      }
      assertEquals(qpA.query().sqPsn(), qpB.query().rqPsn());
    }

    @ParameterizedTest
    @CsvSource({"16,0,14,7,7,12,1", "15,16,14,7,7,12,1", "15,0,32,7,7,12,1", "15,0,14,8,7,12,1", "15,0,14,7,8,12,1",
      "15,0,14,7,7,32,1", "15,0,14,7,7,12,256", "15,-1,14,7,7,12,1"})
    void shouldRefuseOptionsOutOfRange(int access, int sl, int timeout, int retry, int rnr, int timer, int rd) {
      refused(Errno.EINVAL, () -> new ConnectionOptions(access, sl, timeout, retry, rnr, timer, rd));
    }

    @Test
    void shouldRefuseMoreReadsThanTheDeviceAllows() {
      QueuePair qp = a.qp();
      ConnectionOptions greedy = ConnectionOptions.DEFAULT.withRdAtomic(200);
      refused(Errno.EINVAL, () -> a.node.cm().connect("b", "s", qp, greedy, NONE, new Log()));
      assertEquals(QpState.RESET, qp.state());
    }

    @Test
    void shouldRejectWhenTheQueuePairIsGoneByTheTimeOfTheAnswer() {
      b.node.cm().listen("s", b.requests::add);
      QueuePair qp = a.qp();
      Log log = connect(a, qp, "b", "s");
      fabric.system().runFor(SECOND);
      a.node.hca().destroyQp(qp);
      Log atB = new Log();
      QueuePair qpB = b.qp();
      b.requests.getFirst().accept(qpB, ConnectionOptions.DEFAULT, NONE, atB);
      run();
      assertEquals(List.of("rejected CONSUMER"), log.calls);
      assertEquals(1, atB.calls.size());
      assertTrue(atB.calls.getFirst().startsWith("rejected"), atB.calls::toString);
      assertEquals(QpState.ERR, qpB.state());
    }

    @Test
    void shouldConnectBothWaysAtOnce() {
      List<Log> logs = new ArrayList<>();
      for (End end : List.of(a, b)) {
        end.node.cm().listen("s", request -> request.accept(end.qp(), ConnectionOptions.DEFAULT, NONE, new Log()));
      }
      logs.add(connect(a, a.qp(), "b", "s"));
      logs.add(connect(b, b.qp(), "a", "s"));
      run();
      for (Log log : logs) {
        assertEquals(List.of("established"), log.calls);
      }
    }

    @Test
    void shouldConnectANodeToItself() {
      a.node.cm().listen("s", request -> request.accept(a.qp(), ConnectionOptions.DEFAULT, NONE, new Log()));
      Log log = connect(a, a.qp(), "a", "s");
      run();
      assertEquals(List.of("established"), log.calls);
    }

    @Test
    void shouldRefuseMoreConnectionsThanANodeMayHave() {
      b.node.cm().listen("s", request -> request.accept(b.qp(), ConnectionOptions.DEFAULT, NONE, new Log()));
      Log last = null;
      Log first = null;
      for (int i = 0; i < 5; i++) {
        last = connect(a, a.qp(), "b", "s");
        run();
        first = first == null ? last : first;
      }
      assertEquals(List.of("rejected NO_RESOURCES"), last.calls);
      first.connection.disconnect();
      run();
      Log again = connect(a, a.qp(), "b", "s");
      run();
      assertEquals(List.of("established"), again.calls);
    }

    @Test
    void shouldAnswerNoResourcesWhenTheListenersNodeIsFull() {
      End c = new End(fabric.addNode("c"));
      b.node.cm().listen("s", request -> request.accept(b.qp(), ConnectionOptions.DEFAULT, NONE, new Log()));
      for (int i = 0; i < 4; i++) {
        connect(a, a.qp(), "b", "s");
      }
      run();
      Log log = connect(c, c.qp(), "b", "s");
      run();
      assertEquals(List.of("rejected NO_RESOURCES"), log.calls);
    }
  }

  /** The end. */
  @Nested
  class TearDown {
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldTellThePeerAndFlushBothSides(boolean byActive) {
      QueuePair qpA = a.qp();
      QueuePair qpB = b.qp();
      Log[] logs = connected(qpA, qpB);
      (byActive ? qpB : qpA).postReceive(new ReceiveRequest().receive(1));
      (byActive ? logs[0] : logs[1]).connection.disconnect();
      (byActive ? logs[0] : logs[1]).connection.disconnect();
      run();
      assertEquals(QpState.ERR, qpA.state());
      assertEquals(QpState.ERR, qpB.state());
      assertEquals(List.of("established", "disconnected"), (byActive ? logs[1] : logs[0]).calls);
      assertEquals(List.of("established"), (byActive ? logs[0] : logs[1]).calls);
      assertEquals("WR_FLUSH_ERR", (byActive ? b : a).poll().status().name());
    }

    @Test
    void shouldTellThatTheNodeOfThePeerIsLost() {
      QueuePair qpA = a.qp();
      Log[] logs = connected(qpA, b.qp());
      fabric.loseNode("b");
      run();
      assertEquals(List.of("established", "node lost"), logs[0].calls);
      assertEquals(QpState.ERR, qpA.state());
    }

    @Test
    void shouldRejectARequestWhoseNodeGetsLostMeanwhile() {
      b.node.cm().listen("s", b.requests::add);
      Log log = connect(a, a.qp(), "b", "s");
      fabric.system().runFor(SECOND);
      fabric.loseNode("b");
      run();
      assertEquals(List.of("rejected UNKNOWN_NODE"), log.calls);
    }

    @Test
    void shouldNotFailAQueuePairThatIsConnectedElsewhereByNow() {
      QueuePair qpA = a.qp();
      Log[] old = connected(qpA, b.qp());
      qpA.modify(new QpAttr().state(QpState.RESET));
      connected(qpA, b.qp());
      old[1].connection.disconnect();
      run();
      assertEquals(QpState.RTS, qpA.state());
    }

    @Test
    void shouldListenToTheDirectoryOnlyWhileItRuns() {
      ListenedDirectory directory = new ListenedDirectory();
      CmSettings settings = CmSettings.from(fabric.system().system().settings().config());
      Behavior<HardwareMessage> cm = CmActor.create(a.node.hca(), new CmServices(), directory, a.node.context(), settings, 4096);
      ActorRef<String> parent = fabric.system().spawn(Behaviors.setup(context -> {
        ActorRef<HardwareMessage> child = context.spawn(cm, "cm");
        return Behaviors.receiveMessage(any -> {
          context.stop(child);
          return Behaviors.same();
        });
      }), "parent");
      run();
      assertEquals(1, directory.listeners.size());
      parent.tell("stop it");
      run();
      assertEquals(0, directory.listeners.size());
    }

    @Test
    void shouldIgnoreARejectAfterTheAccept() {
      List<ConnectionRequest> seen = new ArrayList<>();
      QueuePair qpB = b.qp();
      Log atB = new Log();
      b.node.cm().listen("s", request -> {
        seen.add(request);
        request.accept(qpB, ConnectionOptions.DEFAULT, NONE, atB);
      });
      Log log = connect(a, a.qp(), "b", "s");
      run();
      seen.getFirst().reject(NONE);
      log.connection.disconnect();
      run();
      assertEquals(List.of("established", "disconnected"), atB.calls);
      assertNull(b.poll());
    }
  }
}
