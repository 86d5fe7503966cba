package dev.weft.dsm.direct;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.weft.dsm.access.Rights;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Node 3 rebuilds the entry of minipage 7, whose home was node 2. */
class EntryTakeoverTest {
  private static final int PAGE = 7;
  private static final long LOST_HOME = 0b100;

  private String opened = "";
  private final EntryTakeover takeover = new EntryTakeover((minipage, owner, copies) -> opened += minipage + ": "
      + (owner == DirectoryEntry.LOST ? "lost" : "node " + DirectoryEntry.node(owner) + (DirectoryEntry.mayWrite(owner) ? " writes" : "")) + ", copies "
      + Long.toBinaryString(copies));

  @BeforeEach
  void begin() {
    takeover.begin(PAGE);
  }

  private void shouldOpen(String expected, long lost) {
    takeover.onGathered(lost);
    assertEquals(expected, opened);
    assertFalse(takeover.isGathering(PAGE));
    takeover.onGathered(lost);
    assertEquals(expected, opened, "once");
  }

  @Test
  void shouldPutDownTheWriter() {
    takeover.onHolds(5, 4, Rights.WRITE, 1);
    shouldOpen("7: node 1 writes, copies 10", LOST_HOME);
  }

  @Test
  void shouldPutDownAllReaders() {
    takeover.onHolds(PAGE, 1, Rights.READ, 1);
    takeover.onHolds(PAGE, 1, Rights.READ, 3);
    shouldOpen("7: node 1, copies 1010", LOST_HOME);
  }

  @Test
  void shouldTakeOneThatIsAloneForAWriterBecauseAThreadMayBeInside() {
    takeover.onHolds(PAGE, 1, Rights.READ, 3);
    shouldOpen("7: node 3 writes, copies 1000", LOST_HOME);
  }

  @Test
  void shouldLoseWhatNobodyHas() {
    shouldOpen("7: lost, copies 0", LOST_HOME);
  }

  @Test
  void shouldLoseWhatOnlyANodeHadThatIsLostSince() {
    takeover.onHolds(PAGE, 1, Rights.WRITE, 1);
    shouldOpen("7: lost, copies 0", LOST_HOME | 0b10);
  }

  @Test
  void shouldKeepTheFrameOfAWriterWhoseRightWasTakenForNothing() {
    takeover.onWasTaking(PAGE, DirectoryEntry.owner(1, true), 0b10, LOST_HOME, 3);
    shouldOpen("7: node 1 writes, copies 10", LOST_HOME);
  }

  @Test
  void shouldKeepTheFramesOfReadersWhoseRightsWereTakenForNothing() {
    takeover.onHolds(PAGE, 1, Rights.READ, 0);
    takeover.onWasTaking(PAGE, DirectoryEntry.owner(1, false), 0b111, LOST_HOME, 3);
    shouldOpen("7: node 0, copies 11", LOST_HOME);
  }

  /** Node 0 may have locked the entry after it, and written. */
  @Test
  void shouldNotBelieveInFramesWhereAnotherNodeIsLostSince() {
    takeover.onWasTaking(PAGE, DirectoryEntry.owner(1, true), 0b10, LOST_HOME, 3);
    shouldOpen("7: lost, copies 0", LOST_HOME | 1);
  }

  @Test
  void shouldNotBelieveANodeThatIsLostItself() {
    takeover.onWasTaking(PAGE, DirectoryEntry.owner(1, true), 0b10, LOST_HOME | 1, 0);
    shouldOpen("7: lost, copies 0", LOST_HOME | 1);
  }
}
