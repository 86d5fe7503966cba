package dev.weft.hca.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.fabric.link.LinkFaults;
import dev.weft.hca.cm.Connection;
import dev.weft.hca.cm.ConnectionObserver;
import dev.weft.hca.cm.ConnectionOptions;
import dev.weft.hca.cm.RejectReason;
import dev.weft.hca.verbs.QpState;
import dev.weft.hca.verbs.ReceiveContext;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The same as {@link CloseTest} in virtual time, and nodes that crash. */
@Tag("simulation")
class CloseVirtualTest {
  private static final long SECOND = 1_000_000_000L;

  private final VirtualFabric fabric = VirtualFabric.create(1, LinkFaults.NONE);
  private final List<String> calls = new ArrayList<>();
  private final FabricBed a = new FabricBed(fabric.addNode("a"), ReceiveContext.ISR, cq -> calls.add("a"));
  private final FabricBed b = new FabricBed(fabric.addNode("b"));

  @AfterEach
  void close() {
    fabric.close();
  }

  @Test
  void shouldFlushWhatIsOutstandingWhenTheFabricIsClosed() {
    a.connect(b);
    a.postAll();
    fabric.system().runFor(SECOND / 1000);
    a.cq.arm(false);
    fabric.close();
    a.assertFlushed();
    assertEquals(List.of("a"), calls);
    FabricBed.assertRefused(() -> a.cq.arm(false));
    a.assertRefusesAllButTheEnd();
    fabric.close();
  }

  @Test
  void shouldLetANodeBeClosedAgain() {
    fabric.closeNode("a");
    fabric.closeNode("a");
    fabric.system().runFor(SECOND);
    fabric.addNode("a");
    fabric.close();
    fabric.closeNode("a");
    fabric.closeNode("b");
    assertThrows(IllegalArgumentException.class, () -> fabric.closeNode("never"));
    assertThrows(IllegalStateException.class, () -> fabric.addNode("c"));
  }

  @Test
  void shouldFlushTheOwnSideOfANodeThatCrashesAndTellNobodyElse() {
    a.connect(b);
    a.postAll();
    a.cq.arm(false);
    fabric.crashNode("a");
    a.assertFlushed();
    assertEquals(List.of("a"), calls);
    a.assertRefusesAllButTheEnd();
    fabric.system().runFor(SECOND);
    assertEquals(QpState.RTS, b.qp.state(), "it has sent nothing, so it does not know");
    assertFalse(b.hca.isClosed());
  }

  @Test
  void shouldCloseOneNodeAndDisconnectItsPeers() {
    List<String> said = new ArrayList<>();
    b.node.cm().listen("yes", request -> request.accept(b.qp, ConnectionOptions.DEFAULT, null, observer("b", said)));
    a.node.cm().connect("b", "yes", a.qp, ConnectionOptions.DEFAULT, null, observer("a", said));
    fabric.system().runFor(SECOND);
    assertEquals(List.of("a established", "b established"), said);
    a.postAll();
    fabric.closeNode("a");
    a.assertFlushed();
    fabric.system().runFor(SECOND);
    assertEquals(List.of("a established", "b established", "a disconnected false", "b disconnected false"), said);
    assertEquals(QpState.ERR, b.qp.state());
    assertTrue(fabric.directory().lookup("a").isEmpty());
    FabricBed again = new FabricBed(fabric.addNode("a"));
    assertFalse(again.hca.isClosed());
  }

  private static ConnectionObserver observer(String name, List<String> said) {
    return new ConnectionObserver() {
      @Override
      public void onEstablished(Connection connection, byte[] privateData) {
        said.add(name + " established");
      }

      @Override
      public void onRejected(RejectReason reason, byte[] privateData) {
        said.add(name + " rejected " + reason);
      }

      @Override
      public void onDisconnected(Connection connection, boolean nodeLost) {
        said.add(name + " disconnected " + nodeLost);
      }
    };
  }
}
