package dev.weft.dsm.node;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.dsm.NodeLostException;
import dev.weft.dsm.access.AccessControl;
import dev.weft.dsm.access.Rights;
import dev.weft.dsm.member.NodeCore;
import dev.weft.dsm.net.Transfers;
import dev.weft.dsm.objects.Fault;
import dev.weft.dsm.wire.DsmMessage;
import dev.weft.dsm.wire.DsmMessage.Confirm;
import dev.weft.dsm.wire.DsmMessage.Data;
import dev.weft.dsm.wire.DsmMessage.ForwardRead;
import dev.weft.dsm.wire.DsmMessage.ForwardWrite;
import dev.weft.dsm.wire.DsmMessage.Grant;
import dev.weft.dsm.wire.DsmMessage.Invalidate;
import dev.weft.dsm.wire.DsmMessage.Invalidated;
import dev.weft.dsm.wire.DsmMessage.ReadRequest;
import dev.weft.dsm.wire.DsmMessage.WriteRequest;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Node 1; the home of minipage 7 is node 5. */
class NodeCoreTest {
  private static final int PAGE = 7;
  private static final int HOME = 5;
  private static final int NEXT_HOME = 6;
  private static final long GRACE_NS = 50_000;

  /** Rights in one minipage. */
  private static final class FakeAccess implements AccessControl {
    byte rights;
    /** With what a thread is inside. */
    byte inside;
    boolean served;

    @Override
    public byte rights(int minipage) {
      return minipage == PAGE ? rights : Rights.NONE;
    }

    @Override
    public void grant(int minipage, byte more) {
      assertTrue(more > rights, "rights are more than before");
      rights = more;
    }

    @Override
    public boolean tryRevoke(int minipage, byte fewer) {
      rights = (byte) Math.min(rights, fewer);
      return inside <= fewer;
    }

    @Override
    public int tryProtect(int[] minipages, byte[] wanted) {
      throw new UnsupportedOperationException();
    }

    @Override
    public boolean hasServed(int minipage) {
      return served;
    }
  }

  private final List<String> sent = new ArrayList<>();
  private final FakeAccess access = new FakeAccess();
  private int home = HOME;
  private boolean isMoving;
  private final NodeCore core = new NodeCore(access, minipage -> home, minipage -> isMoving,
      (node, message) -> sent.add(to(node, message)), new Transfers() {
    @Override
    public void write(int minipage, int node) {
      sent.add("data to " + node);
    }

    @Override
    public void read(int minipage, int op, int node) {
      throw new UnsupportedOperationException();
    }
  }, GRACE_NS);

  private static String to(int node, DsmMessage message) {
    return node + " " + message;
  }

  private void shouldHaveSent(String... expected) {
    assertEquals(List.of(expected), List.copyOf(sent));
    sent.clear();
  }

  private Fault wants(byte rights) {
    Fault fault = new Fault(PAGE, rights);
    core.onFault(fault);
    return fault;
  }

  private static void shouldBeServed(Fault fault) {
    assertTrue(fault.isOver());
    assertDoesNotThrow(fault::check);
  }

  // What threads want.

  @Test
  void shouldWakeAThreadAtOnceThatWantsWhatIsThere() {
    access.rights = Rights.READ;
    shouldBeServed(wants(Rights.READ));
    shouldHaveSent();
  }

  @Test
  void shouldAskOnceForAllThreads() {
    Fault first = wants(Rights.READ);
    Fault second = wants(Rights.READ);
    shouldHaveSent(to(HOME, new ReadRequest(PAGE)));
    core.onData(new Data(PAGE, 3, false), HOME);
    shouldHaveSent(to(HOME, new Confirm(PAGE, 3)));
    assertEquals(Rights.READ, access.rights);
    shouldBeServed(first);
    shouldBeServed(second);
    assertEquals(0, core.waiting());
  }

  @Test
  void shouldAskForMoreWhenWhatWasAskedForIsServed() {
    Fault reader = wants(Rights.READ);
    Fault writer = wants(Rights.WRITE);
    shouldHaveSent(to(HOME, new ReadRequest(PAGE)));
    core.onData(new Data(PAGE, 3, false), HOME);
    shouldBeServed(reader);
    assertFalse(writer.isOver());
    shouldHaveSent(to(HOME, new Confirm(PAGE, 3)), to(HOME, new WriteRequest(PAGE)));
    core.onGrant(new Grant(PAGE, 4, true), HOME);
    shouldBeServed(writer);
    assertEquals(Rights.WRITE, access.rights);
    shouldHaveSent(to(HOME, new Confirm(PAGE, 4)));
  }

  @Test
  void shouldServeReadersAndWritersTogetherWhereItMayWrite() {
    Fault writer = wants(Rights.WRITE);
    Fault reader = wants(Rights.READ);
    core.onData(new Data(PAGE, 1, true), HOME);
    shouldBeServed(writer);
    shouldBeServed(reader);
    shouldHaveSent(to(HOME, new WriteRequest(PAGE)), to(HOME, new Confirm(PAGE, 1)));
  }

  @Test
  void shouldServeThreadsThatComeWhileItIsPrefetched() {
    core.prefetch(PAGE);
    core.prefetch(PAGE);
    Fault reader = wants(Rights.READ);
    shouldHaveSent(to(HOME, new ReadRequest(PAGE)));
    core.onFetched(PAGE, 9);
    shouldBeServed(reader);
    shouldHaveSent(to(HOME, new Confirm(PAGE, 9)));
    core.prefetch(PAGE);
    shouldHaveSent();
  }

  @Test
  void shouldTakeWhatItIsGivenWithoutHavingAsked() {
    core.onData(new Data(PAGE, 2, false), HOME);
    assertEquals(Rights.READ, access.rights);
    shouldHaveSent(to(HOME, new Confirm(PAGE, 2)));
  }

  @Test
  void shouldKeepWhatIsMoreThanWhatIsGranted() {
    access.rights = Rights.WRITE;
    core.onGrant(new Grant(PAGE, 2, false), HOME);
    assertEquals(Rights.WRITE, access.rights);
    shouldHaveSent(to(HOME, new Confirm(PAGE, 2)));
  }

  @Test
  void shouldWakeThreadsOfWhatIsFreed() {
    Fault waits = wants(Rights.READ);
    sent.clear();
    core.forget(PAGE + 1, 10);
    core.forget(0, PAGE);
    assertFalse(waits.isOver());
    core.forget(PAGE, 1);
    shouldBeServed(waits);
    home = NodeCore.NO_HOME;
    shouldBeServed(wants(Rights.WRITE));
    core.onData(new Data(PAGE, 1, true), HOME);
    core.onFetched(PAGE, 1);
    core.onInvalidate(new Invalidate(PAGE, 2), HOME, 0);
    core.prefetch(PAGE);
    assertEquals(Rights.NONE, access.rights);
    shouldHaveSent();
  }

  // What others want.

  @Test
  void shouldKeepACopyWhereAnotherReads() {
    access.rights = Rights.WRITE;
    core.onForwardRead(new ForwardRead(PAGE, 4, 2), HOME, 0);
    assertEquals(Rights.READ, access.rights);
    shouldHaveSent("data to 2", to(2, new Data(PAGE, 4, false)));
  }

  @Test
  void shouldGiveItUpWhereAnotherWrites() {
    access.rights = Rights.WRITE;
    core.onForwardWrite(new ForwardWrite(PAGE, 4, 2), HOME, 0);
    assertEquals(Rights.NONE, access.rights);
    shouldHaveSent("data to 2", to(2, new Data(PAGE, 4, true)));
  }

  @Test
  void shouldSendWhatItHasGivenUpBefore() {
    core.onForwardWrite(new ForwardWrite(PAGE, 4, 2), HOME, 0);
    shouldHaveSent("data to 2", to(2, new Data(PAGE, 4, true)));
  }

  @Test
  void shouldSayThatItHasGivenItsCopyUp() {
    access.rights = Rights.READ;
    core.onInvalidate(new Invalidate(PAGE, 4), HOME, 0);
    assertEquals(Rights.NONE, access.rights);
    shouldHaveSent(to(HOME, new Invalidated(PAGE, 4)));
  }

  @Test
  void shouldAskAgainForWhatWasInvalidatedWhileAThreadWantsToWriteIt() {
    access.rights = Rights.READ;
    Fault writer = wants(Rights.WRITE);
    core.onInvalidate(new Invalidate(PAGE, 4), HOME, 0);
    shouldHaveSent(to(HOME, new WriteRequest(PAGE)), to(HOME, new Invalidated(PAGE, 4)));
    assertFalse(writer.isOver());
    core.onData(new Data(PAGE, 5, true), HOME);
    shouldBeServed(writer);
    shouldHaveSent(to(HOME, new Confirm(PAGE, 5)));
  }

  @Test
  void shouldWaitUntilNobodyIsInside() {
    access.rights = Rights.WRITE;
    access.inside = Rights.WRITE;
    core.onForwardWrite(new ForwardWrite(PAGE, 4, 2), HOME, 1_000);
    assertEquals(Rights.NONE, access.rights, "nobody begins anew");
    assertTrue(core.hasRevocations());
    assertEquals(2_000, core.retryAtNs());
    long lastNs = 1_000;
    for (int i = 0; i < 10; i++) {
      long atNs = core.retryAtNs();
      assertTrue(atNs > lastNs && atNs - lastNs <= 64_000, "after " + lastNs + " tried again at " + atNs);
      core.retry(atNs);
      lastNs = atNs;
    }
    shouldHaveSent();
    access.inside = Rights.NONE;
    core.retry(lastNs);
    shouldHaveSent("data to 2", to(2, new Data(PAGE, 4, true)));
    assertFalse(core.hasRevocations());
    assertEquals(NodeCore.NEVER, core.retryAtNs());
    assertEquals(1, core.deferrals());
  }

  @Test
  void shouldLetReadersStayInsideWhereAnotherReads() {
    access.rights = Rights.WRITE;
    access.inside = Rights.READ;
    core.onForwardRead(new ForwardRead(PAGE, 4, 2), HOME, 0);
    shouldHaveSent("data to 2", to(2, new Data(PAGE, 4, false)));
  }

  @Test
  void shouldLeaveItForAThreadThatWasServedAndHasNotRun() {
    access.rights = Rights.WRITE;
    access.served = true;
    core.onForwardWrite(new ForwardWrite(PAGE, 4, 2), HOME, 1_000);
    assertEquals(Rights.WRITE, access.rights);
    shouldHaveSent();
    core.retry(core.retryAtNs());
    assertEquals(Rights.WRITE, access.rights);
    access.served = false;
    core.retry(2_000);
    shouldHaveSent("data to 2", to(2, new Data(PAGE, 4, true)));
    assertEquals(1, core.graces());
  }

  @Test
  void shouldTakeItWhenTheGraceIsOver() {
    access.rights = Rights.WRITE;
    access.served = true;
    core.onForwardWrite(new ForwardWrite(PAGE, 4, 2), HOME, 1_000);
    while (core.hasRevocations()) {
      assertTrue(core.retryAtNs() <= 1_000 + GRACE_NS);
      core.retry(core.retryAtNs());
    }
    shouldHaveSent("data to 2", to(2, new Data(PAGE, 4, true)));
  }

  @Test
  void shouldNotGiveGraceTwiceToWhatIsBegun() {
    access.rights = Rights.WRITE;
    access.inside = Rights.WRITE;
    core.onForwardRead(new ForwardRead(PAGE, 4, 2), HOME, 0);
    access.served = true;
    access.inside = Rights.NONE;
    core.retry(1_000);
    shouldHaveSent("data to 2", to(2, new Data(PAGE, 4, false)));
  }

  @Test
  void shouldDropAnOrderThatItsHomeHasGivenUp() {
    access.rights = Rights.WRITE;
    access.inside = Rights.WRITE;
    core.onForwardRead(new ForwardRead(PAGE, 4, 2), HOME, 0);
    core.onGrant(new Grant(PAGE, 6, true), HOME);
    shouldHaveSent(to(HOME, new Confirm(PAGE, 6)));
    access.inside = Rights.NONE;
    core.retry(1_000);
    assertEquals(Rights.WRITE, access.rights);
    assertEquals(1, core.stale());
    shouldHaveSent();
  }

  // Nodes that are lost.

  @Test
  void shouldTellThreadsThatTheOnlyCopyIsLost() {
    Fault waits = wants(Rights.READ);
    core.onLost(PAGE, "it is lost");
    assertEquals("it is lost", assertThrows(NodeLostException.class, waits::check).getMessage());
    core.onLost(PAGE, "it is lost");
    assertEquals(0, core.waiting());
  }

  @Test
  void shouldAskTheNextHomeWhenItKnowsWhatThisNodeHas() {
    Fault waits = wants(Rights.READ);
    shouldHaveSent(to(HOME, new ReadRequest(PAGE)));
    isMoving = true;
    home = NEXT_HOME;
    core.onNodeLost(HOME);
    Fault late = wants(Rights.WRITE);
    core.prefetch(PAGE);
    shouldHaveSent();
    isMoving = false;
    core.resume();
    shouldHaveSent(to(NEXT_HOME, new ReadRequest(PAGE)));
    core.onData(new Data(PAGE, 1, false), NEXT_HOME);
    shouldBeServed(waits);
    shouldHaveSent(to(NEXT_HOME, new Confirm(PAGE, 1)), to(NEXT_HOME, new WriteRequest(PAGE)));
    assertFalse(late.isOver());
  }

  /** Its home had it sent before it was lost. */
  @Test
  void shouldTakeDataThatComesWhileTheHomeMoves() {
    Fault waits = wants(Rights.WRITE);
    shouldHaveSent(to(HOME, new WriteRequest(PAGE)));
    isMoving = true;
    home = NEXT_HOME;
    core.onNodeLost(HOME);
    core.onData(new Data(PAGE, 4, true), NEXT_HOME);
    shouldBeServed(waits);
    isMoving = false;
    core.resume();
    shouldHaveSent();
  }

  @Test
  void shouldKeepACopyWhoseHomeIsLost() {
    access.rights = Rights.WRITE;
    access.served = true;
    core.onForwardWrite(new ForwardWrite(PAGE, 4, 2), HOME, 0);
    core.onNodeLost(HOME);
    assertFalse(core.hasRevocations());
    core.retry(GRACE_NS);
    shouldHaveSent();
    shouldBeServed(wants(Rights.WRITE));
  }

  @Test
  void shouldKeepWhatItWasAboutToGiveUpWhenTheHomeWasLost() {
    access.rights = Rights.WRITE;
    access.inside = Rights.WRITE;
    core.onForwardWrite(new ForwardWrite(PAGE, 4, 2), HOME, 0);
    assertEquals(Rights.NONE, access.rights(PAGE));
    core.onNodeLost(HOME);
    assertEquals(Rights.WRITE, access.rights(PAGE));
    access.inside = Rights.NONE;
    core.retry(GRACE_NS);
    shouldHaveSent();
  }
}
