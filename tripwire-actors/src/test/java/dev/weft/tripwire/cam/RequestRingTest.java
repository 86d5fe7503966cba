package dev.weft.tripwire.cam;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Arming relative to an access: before, during and after it. */
class RequestRingTest {
  private final Cam cam = new Cam(4, 4);
  private final RequestRing ring = new RequestRing(4096, cam);
  private final PassingStream stream = new PassingStream(cam, ring);
  private int id;

  @BeforeEach
  void allocate() {
    id = cam.allocate();
    assertTrue(ring.set(stream.phase(), id, Bank.LOCAL_WRITE, 0, 8, true, false, Cam.ALL_ACTIONS));
  }

  private boolean access() {
    stream.begin();
    return stream.end(Bank.LOCAL_WRITE, 0, 8, false);
  }

  @Test
  void shouldFireForAnAccessThatBeginsAfterArming() {
    assertFalse(access());
    assertTrue(ring.arm(stream.phase(), id));
    assertTrue(access());
    assertFalse(access());
  }

  @Test
  void shouldFireForAnAccessDuringWhichItIsArmed() {
    stream.begin();
    assertTrue(ring.arm(stream.phase(), id));
    assertTrue(stream.end(Bank.LOCAL_WRITE, 0, 8, false));
  }

  @Test
  void shouldNotFireForAnAccessThatWasCompleteWhenItWasArmed() {
    stream.begin();
    long complete = stream.phase() + 1; // What an application sees between the placing and the match.
    assertTrue(ring.arm(complete, id));
    assertFalse(stream.end(Bank.LOCAL_WRITE, 0, 8, false));
    assertTrue(access());
  }

  @Test
  void shouldNotFireForAnAccessThatBeginsAfterDisarming() {
    ring.arm(stream.phase(), id);
    ring.disarm(stream.phase(), id);
    assertFalse(access());
  }

  @Test
  void shouldSayWhenItIsFullAndTakeMoreAfterwards() {
    int count = 0;
    while (ring.arm(stream.phase(), id)) {
      count++;
    }
    assertTrue(count > 50, "took " + count);
    stream.drain();
    assertTrue(ring.arm(stream.phase(), id));
  }

  @Test
  void shouldCountRequestsForTripwiresThatWereFreed() {
    stream.drain();
    cam.free(id);
    ring.arm(stream.phase(), id);
    ring.set(stream.phase(), id, Bank.LOCAL_WRITE, 0, 8, true, true, Cam.ALL_ACTIONS);
    stream.drain();
    assertEquals(2, ring.refused());
    assertEquals(0, cam.armedCount());
  }
}
