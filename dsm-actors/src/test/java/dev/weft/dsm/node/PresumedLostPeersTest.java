package dev.weft.dsm.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.dsm.access.Rights;
import dev.weft.dsm.member.PresumedLostPeers;
import dev.weft.dsm.net.Denial;
import dev.weft.dsm.net.Hello;
import dev.weft.dsm.net.LostNotice;
import dev.weft.dsm.objects.Fault;
import dev.weft.dsm.wire.DsmMessage;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A node that others have taken for lost, message by message: node 0 is an actor, nodes 1 and 2 are scripted. */
@Tag("simulation")
class PresumedLostPeersTest {
  private static final String OUT = "node host is out of shared memory test: others, node one among them, have declared it lost and go on without it; "
      + "join again as a new node";

  private final ActorSpace space = new ActorSpace();

  @AfterEach
  void close() {
    space.close();
  }

  private void areDisconnected() {
    space.one.disconnects();
    space.two.disconnects();
    space.run();
    space.one.heard();
    space.two.heard();
  }

  @Test
  void shouldEndWhenALargerSideHasTakenItForLost() {
    Fault waiting = space.wants(new Fault(2, Rights.WRITE));
    areDisconnected();
    space.one.tellsLost("host", 0, 1, 0b110);
    space.one.hears("refused: it ends");
    assertEquals(OUT, space.whyEnded());
    assertThrows(RuntimeException.class, waiting::check);
  }

  @Test
  void shouldGoOnAndSaySoWhenASmallerOrAsLargeASideHasTakenItForLost() {
    space.one.tellsLost("host", 0, 1, 0b010);
    assertTrue(space.one.heard().contains("refused: STAYS 5"));
    assertNull(space.whyEnded());
    space.two.tellsLost("host", 0, 2, 0b100);
    assertTrue(space.two.heard().contains("refused: STAYS 1"), "of two sides with one node each that with the lower number goes on");
    assertNull(space.whyEnded());
  }

  @Test
  void shouldGoOnAloneWhenAllOthersWereKilled() {
    space.kills("one");
    space.kills("two");
    space.run(10 * PresumedLostPeers.AGAIN_NS);
    assertNull(space.whyEnded());
    ActorSpace.shouldBeServed(space.wants(new Fault(0, Rights.WRITE)));
  }

  @Test
  void shouldTellWhomItHasTakenForLostUntilThatAnswers() {
    space.two.answersNotices(Denial.stays(0b100));
    space.two.disconnects();
    space.one.hears(new DsmMessage.NodeGone(2));
    space.two.hears(new String[0]);
    space.run(PresumedLostPeers.FIRST_NS);
    space.two.hears("told by 0 that 2 is lost to 11");
    space.run(PresumedLostPeers.AGAIN_NS);
    space.two.hears("told by 0 that 2 is lost to 11");
    space.kills("two");
    space.run(10 * PresumedLostPeers.AGAIN_NS);
    assertNull(space.whyEnded());
  }

  @Test
  void shouldEndWhenWhomItHasTakenForLostIsOfTheLargerSide() {
    space.one.answersNotices(Denial.stays(0b110));
    areDisconnected();
    space.run(PresumedLostPeers.FIRST_NS);
    assertEquals(OUT, space.whyEnded());
  }

  @Test
  void shouldNotBelieveWhatIsMeantForAnotherNodeOrComesFromAStranger() {
    space.one.disconnects();
    space.run();
    space.one.heard();
    space.one.tellsLost("host", 5, 1, 0b110);
    space.one.hears("refused: that is another node");
    space.one.tellsLost("host", 0, 2, 0b110);
    space.one.hears("refused: that is another node");
    space.one.other = new Hello(0, 1, 4096, 1, ActorSpace.MEMORY);
    space.one.tellsLost("host", 0, 1, 0b110);
    space.one.hears("refused: that is another node");
    assertNull(space.whyEnded());
  }

  /** Whatever the sides are, no two of their nodes come to different answers, and one of two sides goes on. */
  @Test
  void shouldLetExactlyOneOfTwoSidesGoOn() {
    Random random = new Random(1);
    for (int i = 0; i < 10_000; i++) {
      long one = random.nextLong() & random.nextLong();
      long other = random.nextLong() & random.nextLong();
      if ((one & ~other) != 0 && (other & ~one) != 0) {
        assertTrue(LostNotice.isToEnd(one, other) ^ LostNotice.isToEnd(other, one), () -> Long.toHexString(one) + " " + Long.toHexString(other));
      }
    }
    assertTrue(LostNotice.isToEnd(0b1, 0b110));
    assertTrue(LostNotice.isToEnd(0b100, 0b10));
    assertFalse(LostNotice.isToEnd(0b1, 0));
  }
}
