package dev.weft.hca.messaging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.hca.verbs.WcStatus;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 20, unit = TimeUnit.SECONDS)
class SendRingTest {
  private static final SendRing.Retired IGNORE = (token, status) -> {};

  @Test
  void shouldRefuseAReservationWhenEveryBufferIsTaken() {
    SendRing ring = new SendRing(2, 4);
    int first = ring.reserve();
    int second = ring.reserve();
    assertTrue(first != second);
    assertEquals(SendRing.NONE, ring.reserve());
    ring.cancel(first);
    assertEquals(first, ring.reserve());
  }

  @Test
  void shouldKeepAPlaceInTheSendQueueForEveryReservedBuffer() {
    SendRing ring = new SendRing(2, 3);
    int slot = ring.reserve();
    ring.addTransfer(false, 0);
    ring.addTransfer(false, 0);
    assertEquals(0, ring.room());
    assertThrows(IllegalStateException.class, () -> ring.addTransfer(false, 0));
    assertEquals(SendRing.NONE, ring.reserve());
    ring.addSend(slot, false, 0);
    assertEquals(3, ring.posted());
  }

  @Test
  void shouldGiveBackAllEarlierBuffersWhenALaterRequestCompletes() {
    SendRing ring = new SendRing(4, 8);
    long last = 0;
    for (int i = 0; i < 4; i++) {
      last = ring.addSend(ring.reserve(), i == 1, 70 + i);
    }
    List<Long> told = new ArrayList<>();
    ring.retire(last, WcStatus.SUCCESS, (token, status) -> told.add(token));
    assertEquals(4, ring.freeBuffers());
    assertEquals(List.of(71L), told);
  }

  @Test
  void shouldGiveTheErrorToTheFailedRequestOnly() {
    SendRing ring = new SendRing(4, 8);
    ring.addTransfer(true, 1);
    long failed = ring.addTransfer(true, 2);
    ring.addTransfer(true, 3);
    List<String> told = new ArrayList<>();
    ring.retire(failed, WcStatus.REM_ACCESS_ERR, (token, status) -> told.add(token + " " + status));
    assertEquals(List.of("1 SUCCESS", "2 REM_ACCESS_ERR"), told);
    assertEquals(1, ring.posted());
  }

  @Test
  void shouldRefuseACompletionThatIsNotOutstanding() {
    SendRing ring = new SendRing(4, 8);
    assertThrows(IllegalStateException.class, () -> ring.retire(0, WcStatus.SUCCESS, IGNORE));
    ring.retire(ring.addTransfer(false, 0), WcStatus.SUCCESS, IGNORE);
    assertThrows(IllegalStateException.class, () -> ring.retire(0, WcStatus.SUCCESS, IGNORE));
  }

  @Test
  void shouldRefuseABufferThatIsNotReserved() {
    SendRing ring = new SendRing(4, 8);
    assertThrows(IllegalStateException.class, () -> ring.cancel(0));
    int slot = ring.reserve();
    ring.addSend(slot, false, 0);
    assertThrows(IllegalStateException.class, () -> ring.addSend(slot, false, 0));
  }

  /** Random traffic in which only signaled requests complete: buffers must never run out for good, none is used twice. */
  @Test
  void shouldAlwaysRecoverBuffersWhenOnlySignaledRequestsComplete() {
    for (long seed = 0; seed < 300; seed++) {
      Random random = new Random(seed);
      int slots = 1 + random.nextInt(20);
      SendRing ring = new SendRing(slots, slots + random.nextInt(10));
      ArrayDeque<Long> signaled = new ArrayDeque<>();
      Set<Integer> held = new HashSet<>();
      for (int step = 0; step < 500; step++) {
        int slot = random.nextInt(3) > 0 ? ring.reserve() : SendRing.NONE;
        if (slot != SendRing.NONE) {
          assertTrue(held.add(slot), "seed " + seed + " buffer handed out twice");
          long sequence = ring.addSend(slot, false, 0);
          held.remove(slot);
          if (ring.signal(random.nextInt(10) == 0)) {
            signaled.add(sequence);
          }
        } else if (ring.room() > 0) {
          long sequence = ring.addTransfer(false, 0);
          if (ring.signal(false)) {
            signaled.add(sequence);
          }
        } else {
          assertFalse(signaled.isEmpty(), "seed " + seed + ": full, and nothing outstanding is signaled");
          ring.retire(signaled.poll(), WcStatus.SUCCESS, IGNORE);
        }
      }
      while (!signaled.isEmpty()) {
        ring.retire(signaled.poll(), WcStatus.SUCCESS, IGNORE);
      }
      assertTrue(ring.reserve() != SendRing.NONE, "seed " + seed);
    }
  }
}
