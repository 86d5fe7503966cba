package dev.weft.lab.sim.pvfs;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.lab.kit.Violations;
import dev.weft.pvfs.wire.FileLock;
import org.junit.jupiter.api.Test;

/** Who may have what at the same time, and when that is not known. */
class LockHistoryTest {
  private static final long GRACE_NS = 1_000;
  private static final LockHistory.Place PLACE = new LockHistory.Place(5, FileLock.POSIX);

  private long nowNs = 10;
  private final Violations violations = new Violations(() -> nowNs);
  private final LockHistory locks = new LockHistory(() -> nowNs, violations, GRACE_NS);

  private void get(String who, int from, int to, boolean isExclusive) {
    locks.asks(PLACE, who, from, to, isExclusive);
    locks.granted(PLACE, who, from, to, isExclusive, nowNs);
  }

  @Test
  void shouldLetSomeShareAndOneHaveItAlone() {
    get("c0-0/0", 0, 7, false);
    get("c1-0/0", 2, 3, false);
    assertTrue(violations.isEmpty());
    get("c2-0/0", 3, 3, true);
    assertFalse(violations.isEmpty());
  }

  @Test
  void shouldForgetWhatWasGivenBackPieceByPiece() {
    get("c0-0/0", 0, 7, true);
    locks.givesBack(PLACE, "c0-0/0", 3, 4);
    get("c1-0/0", 3, 4, true);
    assertTrue(violations.isEmpty());
    get("c1-0/0", 5, 5, false);
    assertFalse(violations.isEmpty());
  }

  @Test
  void shouldNotBeSureOfLocksWhenAManagerHasWaitedLongEnough() {
    locks.managerStarted();
    nowNs = 20;
    get("c0-0/0", 0, 0, true);
    nowNs = 30;
    locks.managerStarted();
    nowNs = 29 + GRACE_NS;
    assertFalse(locks.mayHaveLost());
    nowNs = 30 + GRACE_NS;
    get("c1-0/0", 0, 0, true);
    assertTrue(violations.isEmpty() && locks.mayHaveLost());
    get("c2-0/0", 0, 0, true);
    assertFalse(violations.isEmpty());
  }

  @Test
  void shouldForgetClientsThatHaveDied() {
    get("c0-0/0", 0, 7, true);
    locks.gone("c0");
    get("c1-1/0", 0, 7, true);
    assertTrue(violations.isEmpty());
  }
}
