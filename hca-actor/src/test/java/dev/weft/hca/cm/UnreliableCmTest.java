package dev.weft.hca.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.typesafe.config.ConfigFactory;
import dev.weft.fabric.link.LinkFaults;
import dev.weft.fabric.link.LinkProfile;
import dev.weft.hca.node.Node;
import dev.weft.hca.node.VirtualFabric;
import dev.weft.hca.verbs.Access;
import dev.weft.hca.verbs.QpState;
import dev.weft.hca.verbs.QpType;
import dev.weft.hca.verbs.QueuePair;
import dev.weft.hca.verbs.ReceiveRequest;
import dev.weft.hca.verbs.WorkCompletion;
import dev.weft.hca.verbs.WorkRequest;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Queue pairs of UC and UD, brought up by connection managers. */
@Tag("simulation")
class UnreliableCmTest {
  private final VirtualFabric fabric =
      new VirtualFabric(1, new LinkProfile(1_000, 10_000_000_000L), LinkFaults.NONE, ConfigFactory.empty());
  private final End a = new End(fabric.addNode("a"));
  private final End b = new End(fabric.addNode("b"));

  private static final class End extends CmEnd implements ConnectionObserver {
    final List<String> calls = new ArrayList<>();
    Connection connection;

    End(Node node) {
      super(node, Access.ALL);
    }

    @Override
    public void onEstablished(Connection established, byte[] privateData) {
      connection = established;
      calls.add("established");
    }

    @Override
    public void onRejected(RejectReason reason, byte[] privateData) {
      calls.add("rejected " + reason);
    }

    @Override
    public void onDisconnected(Connection ended, boolean nodeLost) {
      calls.add("disconnected");
    }
  }

  @AfterEach
  void stop() {
    fabric.close();
  }

  private void connect(QueuePair qpA, QueuePair qpB) {
    b.node.cm().listen("s", request -> request.accept(qpB, ConnectionOptions.DEFAULT, new byte[0], b));
    a.node.cm().connect("b", "s", qpA, ConnectionOptions.DEFAULT, new byte[0], a);
    fabric.system().runFor(1_000_000);
  }

  @ParameterizedTest
  @EnumSource(value = QpType.class, names = {"UC", "UD"})
  void shouldCarryAMessageAndTellOfTheEnd(QpType type) {
    QueuePair qpA = a.qp(type);
    QueuePair qpB = b.qp(type);
    connect(qpA, qpB);
    assertEquals(List.of("established"), a.calls);
    assertNotNull(a.connection);
    assertEquals(b.node.hca().lid(), a.connection.peerLid());
    assertEquals(qpB.qpNum(), a.connection.peerQpNum());
    int header = type == QpType.UD ? 40 : 0;
    qpB.postReceive(new ReceiveRequest().receive(1).sge(b.mr, 0, 100));
    a.memory.set(ValueLayout.JAVA_LONG, 0, 77);
    WorkRequest wr = new WorkRequest().send().sge(a.mr, 0, 8).signaled();
    qpA.postSend(type == QpType.UC ? wr
        : wr.to(a.node.hca().createAh(a.pd, a.connection.peerLid(), 0), a.connection.peerQpNum(), ConnectionManager.DATAGRAM_QKEY));
    fabric.system().runFor(1_000_000);
    WorkCompletion wc = new WorkCompletion();
    assertTrue(b.cq.poll(wc) && wc.isSuccess(), wc::toString);
    assertEquals(header + 8, wc.byteLen());
    assertEquals(77, b.memory.get(ValueLayout.JAVA_LONG, header));

    a.connection.disconnect();
    fabric.system().runFor(1_000_000);
    assertEquals(QpState.ERR, qpA.state());
    assertEquals(QpState.ERR, qpB.state());
    assertEquals(List.of("established", "disconnected"), b.calls);
  }

  @Test
  void shouldRefuseQueuePairsOfDifferentServices() {
    QueuePair qpA = a.qp(QpType.UC);
    QueuePair qpB = b.qp(QpType.RC);
    connect(qpA, qpB);
    assertEquals(List.of("rejected CONSUMER"), a.calls);
    assertEquals(List.of("rejected CONSUMER"), b.calls);
    assertEquals(QpState.INIT, qpA.state());
    assertEquals(QpState.INIT, qpB.state());
  }
}
