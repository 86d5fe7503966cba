package dev.weft.dsm.home;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.dsm.wire.DsmMessage;
import dev.weft.dsm.wire.DsmMessage.ForwardRead;
import dev.weft.dsm.wire.DsmMessage.ForwardWrite;
import dev.weft.dsm.wire.DsmMessage.Grant;
import dev.weft.dsm.wire.DsmMessage.Invalidate;
import dev.weft.dsm.wire.DsmMessage.Lost;
import dev.weft.dsm.wire.ObjectSpec;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Node 0 is the home of minipage 100; nodes 0 to 3 are there. */
class HomeCoreTest {
  private static final int PAGE = 100;
  private final List<String> sent = new ArrayList<>();
  private long members = 0b1111;
  private HomeCore home = home(true);
  /** The op number that is served now. */
  private int op;

  private HomeCore home(boolean readsByRdma) {
    HomeCore made = new HomeCore(0, readsByRdma, (node, message) -> sent.add(node + " " + message), () -> members);
    made.add(spec(), 0);
    return made;
  }

  private static ObjectSpec spec() {
    return new ObjectSpec(1, ObjectSpec.Kind.LONGS, "words", 2, 8, 0, PAGE, 0b11);
  }

  private static String to(int node, DsmMessage message) {
    return node + " " + message;
  }

  private void shouldHaveSent(String... expected) {
    assertEquals(List.of(expected), List.copyOf(sent));
    sent.clear();
  }

  private void requests(int from, boolean isWrite) {
    home.onRequest(PAGE, from, isWrite);
  }

  private void confirms(int from) {
    home.onConfirm(PAGE, op, from);
  }

  /** A node is given a copy to read, whoever has it. */
  private void reads(int node) {
    op++;
    requests(node, false);
    sent.clear();
    confirms(node);
    shouldHaveSent();
  }

  /** A node is made the only one that has it; the nodes that read are told, and answer. */
  private void writes(int node, int... readers) {
    op++;
    requests(node, true);
    for (int reader : readers) {
      home.onInvalidated(PAGE, op, reader);
    }
    sent.clear();
    confirms(node);
    shouldHaveSent();
    shouldBe(1L << node, node);
  }

  private void loses(int node) {
    members &= ~(1L << node);
    home.onNodeLost(node);
  }

  private void shouldBe(long copies, int writer) {
    assertEquals(new HomeCore.View(copies, writer, false, false), home.view(PAGE));
  }

  private void shouldBeLost() {
    assertTrue(home.view(PAGE).isLost());
    requests(3, false);
    requests(0, true);
    shouldHaveSent(to(3, new Lost(PAGE)), to(0, new Lost(PAGE)));
    assertEquals(0, home.underWay());
    assertEquals(1, home.lostCount());
  }

  // Without losses.

  @Test
  void shouldLookAfterItsOwnMinipagesOnly() {
    assertEquals(1, home.minipages());
    assertNull(home.view(PAGE + 1));
    requests(1, false);
    shouldHaveSent(to(0, new ForwardRead(PAGE, 1, 1)));
    home.onRequest(PAGE + 1, 1, false);
    home.remove(spec());
    requests(2, true);
    home.onConfirm(PAGE, 1, 1);
    home.onInvalidated(PAGE, 1, 1);
    home.onPush(PAGE);
    shouldHaveSent();
  }

  @Test
  void shouldLetItsOwnerWriteACopyForAReader() {
    shouldBe(0b0001, 0);
    requests(1, false);
    shouldHaveSent(to(0, new ForwardRead(PAGE, 1, 1)));
    home.onConfirm(PAGE, 1, 1);
    shouldBe(0b0011, -1);
  }

  @Test
  void shouldLetAReaderFetchWhatDoesNotChange() {
    writes(1);
    reads(2);
    requests(3, false);
    shouldHaveSent(to(3, new DsmMessage.Fetch(PAGE, 3, 1)));
    assertEquals(1, home.fetches());
  }

  @Test
  void shouldLetTheOwnerWriteEachCopyWhereNothingIsFetched() {
    home = home(false);
    writes(1);
    reads(2);
    requests(3, false);
    shouldHaveSent(to(1, new ForwardRead(PAGE, 3, 3)));
  }

  @Test
  void shouldTakeItsOwnCopyRatherThanAnothers() {
    writes(1);
    reads(0);
    requests(3, false);
    shouldHaveSent(to(0, new ForwardRead(PAGE, 3, 3)));
  }

  @Test
  void shouldForwardAWriteToTheOwner() {
    requests(2, true);
    shouldHaveSent(to(0, new ForwardWrite(PAGE, 1, 2)));
    home.onConfirm(PAGE, 1, 2);
    shouldBe(0b0100, 2);
  }

  @Test
  void shouldGrantAWriteWhenAllOthersHaveGivenTheirCopiesUp() {
    reads(1);
    reads(2);
    requests(1, true);
    shouldHaveSent(to(0, new Invalidate(PAGE, 3)), to(2, new Invalidate(PAGE, 3)));
    home.onInvalidated(PAGE, 3, 2);
    shouldHaveSent();
    home.onInvalidated(PAGE, 3, 0);
    shouldHaveSent(to(1, new Grant(PAGE, 3, true)));
    home.onConfirm(PAGE, 3, 1);
    shouldBe(0b0010, 1);
  }

  @Test
  void shouldNotInvalidateTheOwnerThatSendsTheData() {
    reads(1);
    requests(2, true);
    shouldHaveSent(to(1, new Invalidate(PAGE, 2)));
    home.onInvalidated(PAGE, 2, 1);
    shouldHaveSent(to(0, new ForwardWrite(PAGE, 2, 2)));
  }

  @Test
  void shouldServeOneRequestAtATimeInOrder() {
    requests(1, false);
    requests(2, true);
    requests(3, false);
    shouldHaveSent(to(0, new ForwardRead(PAGE, 1, 1)));
    assertEquals(3, home.underWay());
    home.onConfirm(PAGE, 1, 1);
    shouldHaveSent(to(1, new Invalidate(PAGE, 2)));
    home.onInvalidated(PAGE, 2, 1);
    shouldHaveSent(to(0, new ForwardWrite(PAGE, 2, 2)));
    home.onConfirm(PAGE, 2, 2);
    shouldHaveSent(to(2, new ForwardRead(PAGE, 3, 3)));
    home.onConfirm(PAGE, 3, 3);
    assertEquals(0, home.underWay());
  }

  @Test
  void shouldGrantWhatTheRequesterHasAlready() {
    reads(1);
    requests(1, false);
    shouldHaveSent(to(1, new Grant(PAGE, 2, false)));
    home.onConfirm(PAGE, 2, 1);
    op = 2;
    writes(1, 0);
    requests(1, false);
    shouldHaveSent(to(1, new Grant(PAGE, 4, true)));
    home.onConfirm(PAGE, 4, 1);
    shouldBe(0b0010, 1);
  }

  @Test
  void shouldPushToThoseWithoutACopy() {
    reads(2);
    home.onPush(PAGE);
    shouldHaveSent(to(0, new ForwardRead(PAGE, 2, 1)));
    home.onConfirm(PAGE, 2, 1);
    shouldHaveSent(to(0, new ForwardRead(PAGE, 3, 3)));
    home.onConfirm(PAGE, 3, 3);
    shouldBe(0b1111, -1);
    home.onPush(PAGE);
    shouldHaveSent();
  }

  @Test
  void shouldDropAnswersThatComeTooLateOrTwiceOrFromOthers() {
    reads(1);
    requests(2, true);
    shouldHaveSent(to(1, new Invalidate(PAGE, 2)));
    home.onConfirm(PAGE, 1, 1);
    home.onConfirm(PAGE, 2, 1);
    home.onInvalidated(PAGE, 1, 1);
    home.onInvalidated(PAGE, 2, 3);
    home.onInvalidated(PAGE, 3, 1);
    shouldHaveSent();
    assertEquals(5, home.stale());
    home.onInvalidated(PAGE, 2, 1);
    home.onInvalidated(PAGE, 2, 1);
    shouldHaveSent(to(0, new ForwardWrite(PAGE, 2, 2)));
    home.onConfirm(PAGE, 2, 2);
    home.onConfirm(PAGE, 2, 2);
    shouldBe(0b0100, 2);
    assertEquals(7, home.stale());
  }

  // Nodes that are lost while nothing is under way.

  @Test
  void shouldLetAReaderTakeThePlaceOfALostOwner() {
    writes(1);
    reads(2);
    reads(3);
    loses(1);
    shouldBe(0b1100, -1);
    requests(0, false);
    shouldHaveSent(to(0, new DsmMessage.Fetch(PAGE, 4, 2)));
  }

  @Test
  void shouldLoseWhatOnlyALostNodeHad() {
    writes(1);
    members &= ~2;
    assertEquals(List.of(PAGE), home.onNodeLost(1));
    assertEquals(List.of(), home.onNodeLost(1));
    shouldBeLost();
  }

  @Test
  void shouldForgetTheCopyOfALostReader() {
    reads(1);
    loses(1);
    shouldBe(0b0001, -1);
    requests(2, true);
    shouldHaveSent(to(0, new ForwardWrite(PAGE, 2, 2)));
  }

  @Test
  void shouldForgetTheRequestsOfALostNode() {
    requests(1, false);
    requests(2, true);
    requests(3, false);
    sent.clear();
    loses(2);
    home.onConfirm(PAGE, 1, 1);
    shouldHaveSent(to(0, new ForwardRead(PAGE, 2, 3)));
    requests(2, false);
    home.onConfirm(PAGE, 2, 3);
    shouldHaveSent();
    assertFalse(home.view(PAGE).isBusy(), "what a lost node has asked for is not served");
  }

  // The requester is lost.

  @Test
  void shouldTakeTheOwnerForAWriterStillWhenAReaderIsLost() {
    writes(1);
    requests(2, false);
    shouldHaveSent(to(1, new ForwardRead(PAGE, 2, 2)));
    loses(2);
    shouldBe(0b0010, 1);
    requests(3, false);
    shouldHaveSent(to(1, new ForwardRead(PAGE, 4, 3)));
  }

  @Test
  void shouldLoseWhatALostNodeMayHaveWritten() {
    requests(1, true);
    shouldHaveSent(to(0, new ForwardWrite(PAGE, 1, 1)));
    requests(2, false);
    loses(1);
    shouldHaveSent(to(2, new Lost(PAGE)));
    home.onConfirm(PAGE, 1, 1);
    shouldBeLost();
  }

  @Test
  void shouldLoseWhatALostNodeMayWriteByItsGrant() {
    writes(1);
    reads(2);
    requests(1, true);
    home.onInvalidated(PAGE, 3, 2);
    shouldHaveSent(to(2, new Invalidate(PAGE, 3)), to(1, new Grant(PAGE, 3, true)));
    loses(1);
    shouldBeLost();
  }

  @Test
  void shouldGiveItBackToOneThatGaveItUpForALostWriter() {
    writes(1);
    reads(2);
    reads(3);
    requests(2, true);
    shouldHaveSent(to(1, new Invalidate(PAGE, 4)), to(3, new Invalidate(PAGE, 4)));
    home.onInvalidated(PAGE, 4, 1);
    loses(2);
    shouldHaveSent();
    home.onInvalidated(PAGE, 4, 3);
    shouldHaveSent(to(1, new Grant(PAGE, 4, true)));
    home.onConfirm(PAGE, 4, 1);
    shouldBe(0b0010, 1);
  }

  @Test
  void shouldNotForgetWhoMayReadStillWhenAWriterIsLost() {
    reads(1);
    requests(2, true);
    shouldHaveSent(to(1, new Invalidate(PAGE, 2)));
    loses(2);
    requests(0, true);
    shouldHaveSent(to(1, new Invalidate(PAGE, 3)));
    home.onInvalidated(PAGE, 2, 1);
    shouldHaveSent();
    home.onInvalidated(PAGE, 3, 1);
    shouldHaveSent(to(0, new Grant(PAGE, 3, true)));
  }

  // A node that gives its copy up is lost.

  @Test
  void shouldNotWaitForALostReader() {
    reads(1);
    reads(3);
    requests(2, true);
    shouldHaveSent(to(1, new Invalidate(PAGE, 3)), to(3, new Invalidate(PAGE, 3)));
    home.onInvalidated(PAGE, 3, 1);
    loses(3);
    shouldHaveSent(to(0, new ForwardWrite(PAGE, 3, 2)));
  }

  @Test
  void shouldLetAReaderThatGivesItUpSendItWhenTheOwnerIsLost() {
    writes(1);
    reads(2);
    requests(3, true);
    shouldHaveSent(to(2, new Invalidate(PAGE, 3)));
    loses(1);
    shouldHaveSent();
    home.onInvalidated(PAGE, 3, 2);
    shouldHaveSent(to(2, new ForwardWrite(PAGE, 3, 3)));
    home.onConfirm(PAGE, 3, 3);
    shouldBe(0b1000, 3);
  }

  // The source of the data is lost.

  @Test
  void shouldAskTheRequesterWhetherTheDataCame() {
    writes(1);
    requests(2, true);
    shouldHaveSent(to(1, new ForwardWrite(PAGE, 2, 2)));
    loses(1);
    shouldHaveSent(to(2, new DsmMessage.Ask(PAGE, 3, 1)));
    home.onConfirm(PAGE, 2, 2);
    assertTrue(home.view(PAGE).isBusy(), "an answer that crossed the question is none to it");
    home.onConfirm(PAGE, 3, 2);
    shouldBe(0b0100, 2);
  }

  @Test
  void shouldLoseItWhenTheDataDidNotComeAndNobodyElseHasIt() {
    writes(1);
    requests(2, false);
    loses(1);
    sent.clear();
    home.onInvalidated(PAGE, 3, 2);
    shouldHaveSent(to(2, new Lost(PAGE)));
    shouldBeLost();
  }

  @Test
  void shouldReadFromAnotherWhenTheDataDidNotCome() {
    writes(1);
    reads(2);
    requests(3, false);
    shouldHaveSent(to(3, new DsmMessage.Fetch(PAGE, 3, 1)));
    loses(1);
    sent.clear();
    home.onInvalidated(PAGE, 4, 3);
    shouldHaveSent(to(3, new DsmMessage.Fetch(PAGE, 5, 2)));
    home.onConfirm(PAGE, 5, 3);
    shouldBe(0b1100, -1);
  }

  @Test
  void shouldWriteFromOneThatGaveItUpWhenTheDataDidNotCome() {
    writes(1);
    reads(2);
    requests(3, true);
    home.onInvalidated(PAGE, 3, 2);
    shouldHaveSent(to(2, new Invalidate(PAGE, 3)), to(1, new ForwardWrite(PAGE, 3, 3)));
    loses(1);
    sent.clear();
    home.onInvalidated(PAGE, 4, 3);
    shouldHaveSent(to(2, new ForwardWrite(PAGE, 4, 3)));
    home.onConfirm(PAGE, 4, 3);
    shouldBe(0b1000, 3);
  }

  @Test
  void shouldLoseItWhenSourceAndWriterAreLost() {
    writes(1);
    requests(2, true);
    loses(1);
    loses(2);
    sent.clear();
    shouldBeLost();
  }

  @Test
  void shouldLeaveItToAReaderWhenSourceAndRequesterAreLost() {
    writes(1);
    reads(3);
    requests(2, false);
    loses(1);
    loses(2);
    shouldBe(0b1000, -1);
  }

  @Test
  void shouldServeTheNextWhenTheRequesterIsLost() {
    requests(1, false);
    requests(3, true);
    sent.clear();
    loses(1);
    shouldHaveSent(to(0, new ForwardWrite(PAGE, 3, 3)));
    home.onConfirm(PAGE, 1, 1);
    assertTrue(home.view(PAGE).isBusy());
    home.onConfirm(PAGE, 3, 3);
    shouldBe(0b1000, 3);
  }
}
