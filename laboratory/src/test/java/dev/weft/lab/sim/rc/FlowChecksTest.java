package dev.weft.lab.sim.rc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.lab.kit.Violations;
import org.junit.jupiter.api.Test;

/** {@link Arrivals} and {@link ReceiveLedger}. */
class FlowChecksTest {
  private final Violations violations = new Violations(() -> 0);

  private Arrivals arrivals(boolean mayRepeat, boolean mayOvertake, int... messages) {
    Arrivals arrivals = new Arrivals("r", mayRepeat, mayOvertake, violations);
    for (int message : messages) {
      arrivals.arrived(message);
    }
    return arrivals;
  }

  @Test
  void shouldAcceptGaps() {
    assertEquals(3, arrivals(false, false, 0, 3, 9).count());
    assertTrue(violations.isEmpty());
  }

  @Test
  void shouldSeeAMessageThatCameTwiceUnlessCablesDuplicate() {
    arrivals(true, false, 1, 1);
    assertTrue(violations.isEmpty());
    arrivals(false, true, 1, 1);
    assertFalse(violations.isEmpty());
  }

  @Test
  void shouldSeeMessagesThatOvertookEachOtherUnlessCablesReorder() {
    arrivals(false, true, 2, 1);
    assertTrue(violations.isEmpty());
    arrivals(false, false, 2, 1);
    assertFalse(violations.isEmpty());
  }

  @Test
  void shouldSeeWhatIsMissing() {
    arrivals(false, false, 0, 1).checkComplete(2);
    assertTrue(violations.isEmpty());
    arrivals(false, false, 0, 2).checkComplete(3);
    assertTrue(violations.texts().getFirst().contains("got 2 of 3 messages"), violations.texts()::toString);
  }

  @Test
  void shouldSeeAReceiveThatIsConsumedTwiceOrLost() {
    ReceiveLedger ledger = new ReceiveLedger("q", violations);
    ledger.posted(7);
    ledger.posted(8);
    assertTrue(ledger.consumed(7));
    ledger.check(1);
    assertTrue(violations.isEmpty());
    assertFalse(ledger.consumed(7));
    assertEquals(1, violations.texts().size());
    ledger.check(0);
    assertEquals(2, violations.texts().size());
  }
}
