package dev.weft.tripwire.ip;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.tripwire.nic.NicException;
import dev.weft.tripwire.nic.Status;
import java.util.ArrayDeque;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class BufferLedgerTest {
  private final BufferLedger ledger = new BufferLedger(3, 1500);

  private void offerAll() {
    while (ledger.nextIdle() >= 0) {
      ledger.offered();
    }
  }

  private void assertRefused(int buffer, int length, String why) {
    NicException refused = assertThrows(NicException.class, () -> ledger.filled(buffer, length));
    assertEquals(Status.INVALID, refused.status());
    assertTrue(refused.getMessage().contains(why), refused.getMessage());
  }

  @Test
  void shouldRefusePacketsInBuffersThatAreNotTheTransmitters() {
    assertRefused(0, 100, "IDLE");
    offerAll();
    ledger.filled(0, 100);
    assertRefused(0, 100, "FILLED");
    assertRefused(3, 100, "none of 3");
    assertRefused(-1, 100, "none of 3");
  }

  @Test
  void shouldRefusePacketsOfImpossibleLengths() {
    offerAll();
    assertRefused(1, 0, "0 bytes");
    assertRefused(1, 1501, "1501 bytes");
    assertRefused(1, Integer.MIN_VALUE, "1 to 1500");
    ledger.filled(1, 1500);
    assertEquals(1, ledger.filledCount());
  }

  @Test
  void shouldRefuseToTakeBackTwice() {
    offerAll();
    ledger.filled(2, 1);
    ledger.released(2);
    assertThrows(IllegalStateException.class, () -> ledger.released(2));
  }

  /** However buffers go round, each is in one state, and idle ones are offered in their order. */
  @Test
  void shouldKeepCountOfEveryBuffer() {
    BufferLedger many = new BufferLedger(17, 9000);
    SplittableRandom random = new SplittableRandom(5);
    ArrayDeque<Integer> idle = new ArrayDeque<>();
    ArrayDeque<Integer> offered = new ArrayDeque<>();
    ArrayDeque<Integer> filled = new ArrayDeque<>();
    for (int i = 0; i < 17; i++) {
      idle.add(i);
    }
    for (int step = 0; step < 10_000; step++) {
      switch (random.nextInt(3)) {
        case 0 -> {
          assertEquals(idle.isEmpty() ? -1 : idle.peek(), many.nextIdle());
          if (!idle.isEmpty()) {
            many.offered();
            offered.add(idle.poll());
          }
        }
        case 1 -> {
          if (!offered.isEmpty()) {
            many.filled(offered.peek(), 1 + random.nextInt(9000));
            filled.add(offered.poll());
          }
        }
        default -> {
          if (!filled.isEmpty()) {
            many.released(filled.peek());
            idle.add(filled.poll());
          }
        }
      }
      assertEquals(idle.size(), many.idleCount());
      assertEquals(offered.size(), many.offeredCount());
      assertEquals(filled.size(), many.filledCount());
    }
  }
}
