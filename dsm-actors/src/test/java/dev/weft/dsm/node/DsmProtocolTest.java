package dev.weft.dsm.node;

import static dev.weft.dsm.node.ActorSpace.shouldBeServed;
import static dev.weft.dsm.node.ActorSpace.shouldWait;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.dsm.NodeLostException;
import dev.weft.dsm.access.Rights;
import dev.weft.dsm.objects.Fault;
import dev.weft.dsm.wire.DsmMessage.Ask;
import dev.weft.dsm.wire.DsmMessage.Confirm;
import dev.weft.dsm.wire.DsmMessage.Data;
import dev.weft.dsm.wire.DsmMessage.Fetch;
import dev.weft.dsm.wire.DsmMessage.ForwardRead;
import dev.weft.dsm.wire.DsmMessage.ForwardWrite;
import dev.weft.dsm.wire.DsmMessage.Grant;
import dev.weft.dsm.wire.DsmMessage.Holds;
import dev.weft.dsm.wire.DsmMessage.HoldsEnd;
import dev.weft.dsm.wire.DsmMessage.Invalidate;
import dev.weft.dsm.wire.DsmMessage.Invalidated;
import dev.weft.dsm.wire.DsmMessage.Leaving;
import dev.weft.dsm.wire.DsmMessage.Lost;
import dev.weft.dsm.wire.DsmMessage.NodeGone;
import dev.weft.dsm.wire.DsmMessage.ReadRequest;
import dev.weft.dsm.wire.DsmMessage.WriteRequest;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Minipages message by message: scripted nodes stand as homes, owners and requesters; answers come late, twice, crossed, or from who was not asked. */
@Tag("simulation")
class DsmProtocolTest {
  private final ActorSpace space = new ActorSpace();
  private final ScriptedMember one = space.one;
  private final ScriptedMember two = space.two;

  @AfterEach
  void allIsSaid() {
    space.nothingIsSaid();
    space.close();
  }

  /** Takes minipage 0 away from the actor. */
  private void oneWrites() {
    one.says(new WriteRequest(0));
    one.hears(new Data(0, 1, true));
    one.says(new Confirm(0, 1));
    space.nothingIsSaid();
    assertEquals(Rights.NONE, space.rights(0));
  }

  private void bothRead() {
    one.says(new ReadRequest(0));
    one.hears(new Data(0, 1, false));
    one.says(new Confirm(0, 1));
    two.says(new ReadRequest(0));
    two.hears(new Data(0, 2, false));
    two.says(new Confirm(0, 2));
    space.nothingIsSaid();
  }

  // The actor is the home.

  @Test
  void shouldServeARepeatedRequestAgainWithoutData() {
    one.says(new ReadRequest(0));
    one.hears(new Data(0, 1, false));
    one.says(new Confirm(0, 1));
    one.says(new ReadRequest(0));
    one.hears(new Grant(0, 2, false));
    two.says(new WriteRequest(0));
    two.hears(new String[0]);
    one.says(new Confirm(0, 2));
    one.hears(new Invalidate(0, 3));
    two.hears(new String[0]);
    one.says(new Invalidated(0, 3));
    two.hears(new Data(0, 3, true));
    two.says(new Confirm(0, 3));
  }

  @Test
  void shouldKeepOneOfRequestsThatAreRepeatedWhileTheyWait() {
    one.says(new WriteRequest(0));
    one.hears(new Data(0, 1, true));
    for (int i = 0; i < 10; i++) {
      two.says(new ReadRequest(0));
    }
    two.hears(new String[0]);
    one.says(new Confirm(0, 1));
    one.hears(new ForwardRead(0, 2, 2));
    two.says(new Confirm(0, 2));
    two.hears(new String[0]);
    assertEquals(2, space.inspected().homeRequests(), "requests that were repeated count once");
  }

  @Test
  void shouldNotTakeTheAnswerOfOneNodeForThatOfAnother() {
    space.writesHere(0, 42);
    bothRead();
    Fault writes = space.wants(new Fault(0, Rights.WRITE));
    one.hears(new Invalidate(0, 3));
    two.hears(new Invalidate(0, 3));
    one.says(new Invalidated(0, 3));
    one.says(new Invalidated(0, 3));
    two.says(new Confirm(0, 3));
    two.says(new Invalidated(0, 2));
    space.nothingIsSaid();
    shouldWait(writes);
    two.says(new Invalidated(0, 3));
    space.nothingIsSaid();
    shouldBeServed(writes);
    assertEquals(Rights.WRITE, space.rights(0));
    assertEquals(42, space.word(0));
    assertEquals(2, space.inspected().homeInvalidations());
  }

  @Test
  void shouldServeNobodyElseUntilTheOneThatIsServedConfirms() {
    one.says(new WriteRequest(0));
    one.hears(new Data(0, 1, true));
    two.says(new ReadRequest(0));
    two.says(new Confirm(0, 1));
    two.says(new Invalidated(0, 1));
    one.says(new Confirm(0, 0));
    one.says(new Confirm(0, 2));
    space.nothingIsSaid();
    one.says(new Confirm(0, 1));
    one.says(new Confirm(0, 1));
    one.hears(new ForwardRead(0, 2, 2));
    two.hears(new String[0]);
    two.says(new Confirm(0, 2));
  }

  @Test
  void shouldAnswerWithALossWhereTheDataOfALostOwnerHasNotCome() {
    oneWrites();
    two.says(new ReadRequest(0));
    one.hears(new ForwardRead(0, 2, 2));
    one.says(new Leaving());
    one.hears("disconnected");
    two.hears(new NodeGone(1), new Ask(0, 3, 1));
    two.says(new Invalidated(0, 2)); // Of another time.
    two.hears(new String[0]);
    two.says(new Invalidated(0, 3));
    two.hears(new Lost(0));
    two.says(new Confirm(0, 3)); // Too late.
    Fault reads = space.wants(new Fault(0, Rights.READ));
    assertTrue(reads.isOver());
    assertEquals("the only copy of elements 0 to 0 of \"words\" was on a node that is lost", assertThrows(NodeLostException.class, reads::check).getMessage());
    assertEquals(1, space.inspected().lostMinipages());
    assertEquals(List.of(0, 2), space.inspected().members());
  }

  @Test
  void shouldGoOnWithTheDataOfALostOwnerThatHasCome() {
    oneWrites();
    two.says(new ReadRequest(0));
    one.hears(new ForwardRead(0, 2, 2));
    one.says(new Leaving());
    one.hears("disconnected");
    two.hears(new NodeGone(1), new Ask(0, 3, 1));
    two.holds(0, 23);
    two.says(new Confirm(0, 3));
    two.says(new Invalidated(0, 3)); // It has said the contrary.
    two.hears(new String[0]);
    Fault reads = space.wants(new Fault(0, Rights.READ));
    shouldBeServed(reads);
    assertEquals(23, space.word(0));
    assertEquals(0, space.inspected().lostMinipages());
  }

  // The actor is a node.

  @Test
  void shouldUseDataOnceThatComesTwice() {
    oneWrites();
    Fault reads = space.wants(new Fault(0, Rights.READ));
    one.hears(new ForwardRead(0, 2, 0));
    one.writes(0, 77);
    one.says(new Data(0, 2, false));
    one.says(new Data(0, 2, false));
    one.hears(new String[0]);
    shouldBeServed(reads);
    assertEquals(77, space.word(0));
    assertEquals(Rights.READ, space.rights(0));
    Fault writes = space.wants(new Fault(0, Rights.WRITE));
    one.hears(new Invalidate(0, 3));
    one.says(new Invalidated(0, 3));
    one.hears(new String[0]);
    shouldBeServed(writes);
    one.says(new Data(0, 2, false)); // Once more, late.
    one.hears(new String[0]);
    assertEquals(Rights.WRITE, space.rights(0));
    assertEquals(0, space.inspected().faultsWaiting());
  }

  /** A copy that nobody waits for any more is a copy: the home hears that it came. */
  @Test
  void shouldConfirmACopyThatNobodyWaitsFor() {
    one.writes(8, 5);
    one.says(new Data(1, 1, false));
    one.hears(new Confirm(1, 1));
    assertEquals(Rights.READ, space.rights(1));
    shouldBeServed(space.wants(new Fault(1, Rights.READ)));
    assertEquals(5, space.word(1));
    one.says(new Invalidate(1, 2));
    one.hears(new Invalidated(1, 2));
    one.says(new Invalidate(1, 2));
    one.hears(new Invalidated(1, 2));
    assertEquals(Rights.NONE, space.rights(1));
  }

  @Test
  void shouldGiveUpItsCopyWhenTheOrderCrossesItsUpgradeAndUpgradeAfterThat() {
    Fault reads = space.wants(new Fault(1, Rights.READ));
    one.hears(new ReadRequest(1));
    one.writes(8, 5);
    one.says(new Data(1, 1, false));
    one.hears(new Confirm(1, 1));
    shouldBeServed(reads);
    one.says(new Invalidate(1, 2));
    Fault writes = space.wants(new Fault(1, Rights.WRITE));
    Fault readsToo = space.wants(new Fault(1, Rights.READ));
    one.hears(new WriteRequest(1), new Invalidated(1, 2));
    shouldWait(writes);
    shouldWait(readsToo);
    assertEquals(2, space.inspected().faultsWaiting());
    two.writes(8, 6);
    two.says(new Data(1, 3, true));
    two.hears(new String[0]);
    one.hears(new Confirm(1, 3));
    shouldBeServed(writes);
    shouldBeServed(readsToo);
    assertEquals(6, space.word(1));
  }

  @Test
  void shouldSendOnWhatItOwnsAndKeepACopyOnlyWhereItWasTold() {
    Fault writes = space.wants(new Fault(1, Rights.WRITE));
    one.hears(new WriteRequest(1));
    one.says(new Grant(1, 1, true));
    one.hears(new Confirm(1, 1));
    shouldBeServed(writes);
    space.writesHere(1, 9);
    one.says(new ForwardRead(1, 2, 2));
    one.hears(new String[0]);
    two.hears(new Data(1, 2, false));
    assertEquals(9, two.word(8));
    assertEquals(Rights.READ, space.rights(1));
    one.says(new ForwardWrite(1, 3, 2));
    one.hears(new String[0]);
    two.hears(new Data(1, 3, true));
    assertEquals(Rights.NONE, space.rights(1));
    Fault reads = space.wants(new Fault(1, Rights.READ));
    one.hears(new ReadRequest(1));
    one.says(new Lost(1));
    one.hears(new String[0]);
    assertThrows(NodeLostException.class, reads::check);
  }

  // A home is lost, and another takes its place.

  private void actorReadsMinipage1() {
    Fault reads = space.wants(new Fault(1, Rights.READ));
    one.hears(new ReadRequest(1));
    one.writes(8, 5);
    one.says(new Data(1, 1, false));
    one.hears(new Confirm(1, 1));
    shouldBeServed(reads);
  }

  @Test
  void shouldTellTheNextHomeWhatItHasAndAskItForWhatItsThreadsWant() {
    actorReadsMinipage1();
    Fault writes = space.wants(new Fault(1, Rights.WRITE));
    one.hears(new WriteRequest(1));
    one.says(new Leaving());
    one.hears("disconnected");
    two.hears(new NodeGone(1)); // Nothing more: two may not know it, and have more to give by order of the lost home.
    shouldWait(writes);
    two.says(new NodeGone(1));
    two.hears(new Holds(1, 1, Rights.READ), new WriteRequest(1), new HoldsEnd(1));
    two.says(new NodeGone(1));
    two.says(new HoldsEnd(1));
    two.says(new HoldsEnd(1));
    two.hears(new String[0]);
    two.says(new Grant(1, 1, true));
    two.hears(new Confirm(1, 1));
    shouldBeServed(writes);
    assertEquals(5, space.word(1));
  }

  /** What another node has said first is over, whatever the lost home, which may live, has still to say. */
  @Test
  void shouldNotTakeAGrantOfAHomeThatIsReplaced() {
    actorReadsMinipage1();
    Fault writes = space.wants(new Fault(1, Rights.WRITE));
    one.hears(new WriteRequest(1));
    two.says(new NodeGone(1));
    two.hears(new NodeGone(1), new Holds(1, 1, Rights.READ), new WriteRequest(1), new HoldsEnd(1));
    one.says(new Grant(1, 2, true));
    one.hears("disconnected");
    two.hears(new String[0]);
    shouldWait(writes);
    assertEquals(Rights.READ, space.rights(1));
    two.says(new HoldsEnd(1));
    two.says(new Invalidate(1, 1)); // Another one was first.
    two.hears(new Invalidated(1, 1));
    shouldWait(writes);
    two.writes(8, 6);
    two.says(new Data(1, 2, true));
    two.hears(new Confirm(1, 2));
    shouldBeServed(writes);
    assertEquals(6, space.word(1));
  }

  /** Otherwise it would have a copy that the next home does not know of. */
  @Test
  void shouldNotSayWhatItHasWhileItStillReadsByOrderOfTheLostHome() {
    Fault reads = space.wants(new Fault(1, Rights.READ));
    one.hears(new ReadRequest(1));
    two.holds(8, 31);
    one.says(new Fetch(1, 1, 2));
    space.run(ActorSpace.LINK_NS / 2);
    two.says(new NodeGone(1)); // It comes when the read has begun, and has not come back.
    one.hears("disconnected");
    two.hears(new NodeGone(1), new Holds(1, 1, Rights.READ), new HoldsEnd(1));
    shouldBeServed(reads);
    assertEquals(31, space.word(1));
    two.says(new HoldsEnd(1));
    two.says(new Invalidate(1, 1));
    two.hears(new Invalidated(1, 1));
    assertEquals(Rights.NONE, space.rights(1));
  }

  @Test
  void shouldNotReadByOrderOfAHomeThatIsReplaced() {
    Fault reads = space.wants(new Fault(1, Rights.READ));
    one.hears(new ReadRequest(1));
    two.holds(8, 31);
    two.says(new NodeGone(1));
    one.says(new Fetch(1, 1, 2));
    one.hears("disconnected");
    two.hears(new NodeGone(1), new ReadRequest(1), new HoldsEnd(1));
    shouldWait(reads);
    assertEquals(Rights.NONE, space.rights(1));
    assertEquals(0, space.inspected().bytesRead());
    two.says(new HoldsEnd(1));
    two.says(new Lost(1));
    two.hears(new String[0]);
    assertThrows(NodeLostException.class, reads::check);
  }

  @Test
  void shouldServeWhatItHasTakenOverWhenAllHaveSaidWhatTheyHave() {
    two.says(new Leaving());
    two.hears("disconnected");
    one.hears(new NodeGone(2));
    one.says(new ReadRequest(2)); // It is asked before it knows.
    Fault reads = space.wants(new Fault(2, Rights.READ));
    one.hears(new String[0]);
    one.says(new Holds(2, 1, Rights.READ));
    one.says(new NodeGone(2));
    one.hears(new HoldsEnd(2));
    shouldWait(reads);
    one.holds(16, 11);
    one.says(new HoldsEnd(2));
    one.hears(new Grant(2, 1, false));
    one.says(new Holds(2, 1, Rights.WRITE)); // Too late.
    shouldWait(reads);
    one.says(new Confirm(2, 1));
    one.hears(new String[0]);
    shouldBeServed(reads);
    assertEquals(11, space.word(2));
    assertEquals(0, space.inspected().lostMinipages());
  }

  @Test
  void shouldSayThatIsLostWhatNobodyHasSaidToHave() {
    two.says(new Leaving());
    two.hears("disconnected");
    one.hears(new NodeGone(2));
    Fault reads = space.wants(new Fault(2, Rights.READ));
    one.says(new NodeGone(2));
    one.says(new HoldsEnd(2));
    one.hears(new HoldsEnd(2));
    assertThrows(NodeLostException.class, reads::check);
    one.says(new WriteRequest(2));
    one.hears(new Lost(2));
    assertEquals(1, space.inspected().lostMinipages());
  }
}
