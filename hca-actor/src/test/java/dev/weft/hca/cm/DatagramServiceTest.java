package dev.weft.hca.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.hca.node.Node;
import dev.weft.hca.node.VirtualFabric;
import dev.weft.hca.verbs.Access;
import dev.weft.hca.verbs.AddressHandle;
import dev.weft.hca.verbs.QpAttr;
import dev.weft.hca.verbs.QpState;
import dev.weft.hca.verbs.QpType;
import dev.weft.hca.verbs.QueuePair;
import dev.weft.hca.verbs.ReceiveRequest;
import dev.weft.hca.verbs.VerbsException;
import dev.weft.hca.verbs.VerbsException.Errno;
import dev.weft.hca.verbs.WorkCompletion;
import dev.weft.hca.verbs.WorkRequest;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Datagram services by name: UDP in rdma-core's tests/test_rdmacm.py, see docs/reference/rdma-core-tests.md. */
@Tag("simulation")
class DatagramServiceTest {
  private static final long SECOND = 1_000_000_000L;
  private static final int QKEY = 0x1ee7;
  private static final int GRH = 40;
  private static final int LENGTH = 1000;

  private final VirtualFabric fabric = CmEnd.fabric();
  private final End a = new End(fabric.addNode("a"));
  private final End b = new End(fabric.addNode("b"));

  /** A node with a UD queue pair in RTS. */
  private static final class End extends CmEnd {
    final QueuePair qp;

    End(Node node) {
      super(node, Access.LOCAL_WRITE);
      qp = qp(QpType.UD);
      qp.modify(QpAttr.initUd(QKEY + node.hca().lid()));
      qp.modify(QpAttr.rtrUd());
      qp.modify(QpAttr.rtsUnreliable(7));
    }

    /** Receives into the upper half. */
    void post() {
      qp.postReceive(new ReceiveRequest().receive(1).sge(mr, 4096, GRH + LENGTH));
    }

    /** Sends from the lower half. */
    void send(int salt, AddressHandle to, int qpNum, int qkey) {
      for (int i = 0; i < LENGTH; i++) {
        memory.set(ValueLayout.JAVA_BYTE, i, (byte) (salt + i));
      }
      qp.postSend(new WorkRequest().send().sge(mr, 0, LENGTH).to(to, qpNum, qkey).signaled());
    }

    void sent() {
      WorkCompletion wc = new WorkCompletion();
      assertTrue(cq.poll(wc) && wc.isSuccess(), wc.toString());
    }

    WorkCompletion received(End from) {
      WorkCompletion wc = new WorkCompletion();
      assertTrue(cq.poll(wc) && wc.isSuccess(), wc.toString());
      assertEquals(GRH + LENGTH, wc.byteLen());
      assertEquals(-1, memory.asSlice(4096 + GRH, LENGTH).mismatch(from.memory.asSlice(0, LENGTH)));
      return wc;
    }
  }

  /** Writes down what it is told. */
  private static final class Log implements DatagramObserver {
    final List<String> calls = new ArrayList<>();
    DatagramAddress address;

    @Override
    public void onResolved(DatagramAddress found) {
      address = found;
      calls.add("resolved");
    }

    @Override
    public void onRejected(RejectReason reason) {
      calls.add("rejected " + reason);
    }
  }

  @AfterEach
  void close() {
    fabric.close();
  }

  private void run() {
    fabric.system().runFor(SECOND);
  }

  private Log resolve(String node, String service) {
    Log log = new Log();
    a.node.cm().resolveDatagrams(node, service, log);
    run();
    return log;
  }

  private static void refused(Errno errno, org.junit.jupiter.api.function.Executable verb) {
    assertEquals(errno, assertThrows(VerbsException.class, verb).errno());
  }

  /** Messages both ways; the one who was asked answers to where they came from. */
  @Test
  void testRdmacmAsyncUdpTraffic() {
    b.node.cm().offerDatagrams("s", b.qp);
    Log log = resolve("b", "s");
    assertEquals(List.of("resolved"), log.calls);
    assertEquals(new DatagramAddress(b.node.hca().lid(), b.qp.qpNum(), QKEY + b.node.hca().lid()), log.address);
    AddressHandle toB = a.node.hca().createAh(a.pd, log.address.lid(), 0);
    for (int i = 0; i < 100; i++) {
      b.post();
      a.post();
      a.send(i, toB, log.address.qpNum(), log.address.qkey());
      run();
      a.sent();
      WorkCompletion got = b.received(a);
      AddressHandle back = b.node.hca().createAhFromWc(b.pd, got);
      b.send(i + 50, back, got.srcQp(), QKEY + a.node.hca().lid());
      run();
      b.sent();
      a.received(b);
      b.node.hca().destroyAh(back);
    }
  }

  @Test
  void shouldRejectWhatIsNotThere() {
    assertEquals(List.of("rejected UNKNOWN_NODE"), resolve("nobody", "s").calls);
    assertEquals(List.of("rejected INVALID_SERVICE_ID"), resolve("b", "s").calls);
    b.node.cm().listen("s", request -> {});
    assertEquals(List.of("rejected INVALID_SERVICE_ID"), resolve("b", "s").calls, "that one is for connections");
    b.node.cm().offerDatagrams("s", b.qp);
    assertEquals(List.of("resolved"), resolve("b", "s").calls);
    b.qp.modify(new QpAttr().state(QpState.ERR));
    assertEquals(List.of("rejected INVALID_SERVICE_ID"), resolve("b", "s").calls, "it receives nothing any more");
    b.node.cm().withdrawDatagrams("s");
    b.node.cm().offerDatagrams("s", b.qp(QpType.UD));
    assertEquals(List.of("rejected INVALID_SERVICE_ID"), resolve("b", "s").calls, "it does not receive yet");
  }

  @Test
  void shouldRefuseOtherQueuePairsAndASecondServiceOfOneName() {
    refused(Errno.EINVAL, () -> b.node.cm().offerDatagrams("s", b.qp(QpType.RC)));
    b.node.cm().offerDatagrams("s", b.qp);
    refused(Errno.EBUSY, () -> b.node.cm().offerDatagrams("s", b.qp));
    a.node.cm().offerDatagrams("s", a.qp);
  }

  @Test
  void shouldGiveUpOnANodeThatDoesNotAnswerAndBoundTheQuestions() {
    b.node.cm().offerDatagrams("s", b.qp);
    fabric.crashNode("b");
    List<Log> logs = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      Log log = new Log();
      a.node.cm().resolveDatagrams("b", "s", log);
      logs.add(log);
    }
    run();
    assertEquals(List.of(List.of(), List.of(), List.of(), List.of(), List.of("rejected NO_RESOURCES")),
        logs.stream().map(log -> log.calls).toList());
    fabric.system().runFor(2 * SECOND);
    assertEquals(List.of("rejected TIMEOUT"), logs.getFirst().calls);
    assertEquals(List.of("rejected TIMEOUT"), logs.get(3).calls);
  }
}
