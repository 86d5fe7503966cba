package dev.weft.fabric.switching;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class InputBufferTest {
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 7, 64, 129})
  void shouldConserveCreditsAndLeaveTheFarEndHalfOfTheFreeBuffers(int capacity) {
    InputBuffer buffer = new InputBuffer(1, capacity);
    buffer.open();
    int farEnd = buffer.grant(0);
    assertEquals(capacity, farEnd);
    SplittableRandom random = new SplittableRandom(capacity);
    int inside = 0;
    for (int i = 0; i < 100_000; i++) {
      boolean arrive = farEnd > 0 && (inside == 0 || random.nextInt(5) < (i / 1000 % 2 == 0 ? 3 : 2));
      int returned;
      if (arrive) {
        farEnd--;
        inside++;
        returned = buffer.arrived(0);
      } else {
        inside--;
        returned = buffer.freed(0);
      }
      assertTrue(returned >= 0);
      farEnd += returned;
      assertEquals(farEnd, buffer.farEndHolds(0), "step " + i);
      int free = capacity - inside;
      assertTrue(farEnd >= (free + 1) / 2, "far end holds " + farEnd + " of " + free + " free buffers at step " + i);
    }
    assertTrue(buffer.occupiedHighWater(0) <= capacity);
  }

  @Test
  void shouldReturnHalfTheGrantAtOnceWhenPacketsDoNotQueue() {
    InputBuffer buffer = new InputBuffer(1, 64);
    buffer.open();
    int messages = 0;
    for (int i = 0; i < 3200; i++) {
      messages += buffer.arrived(0) > 0 ? 1 : 0;
      messages += buffer.freed(0) > 0 ? 1 : 0;
    }
    assertTrue(messages <= 3200 / 31 + 1, "credit messages for 3200 packets: " + messages);
  }

  @Test
  void shouldRefuseAPacketWithoutACredit() {
    InputBuffer buffer = new InputBuffer(2, 2);
    assertEquals(0, buffer.occupied(0));
    buffer.open();
    buffer.arrived(0);
    buffer.arrived(0);
    assertEquals(InputBuffer.VIOLATION, buffer.arrived(0));
    assertEquals(2, buffer.occupied(0));
    assertEquals(0, buffer.arrived(1));
  }

  @Test
  void shouldGrantOnlyWhatIsFreeWhenTheLinkComesBack() {
    InputBuffer buffer = new InputBuffer(1, 4);
    buffer.open();
    int before = buffer.session();
    buffer.arrived(0);
    buffer.arrived(0);
    buffer.arrived(0);
    buffer.close();
    assertEquals(0, buffer.freed(0));
    buffer.open();
    assertTrue(buffer.session() != before);
    assertEquals(2, buffer.grant(0));
    int returned = buffer.freed(0) + buffer.freed(0);
    assertEquals(4, buffer.farEndHolds(0) + (2 - returned), "what is not returned yet is still on this end's books");
  }

  @Test
  void shouldRefuseToFreeMoreThanCameIn() {
    InputBuffer buffer = new InputBuffer(1, 4);
    buffer.open();
    assertThrows(IllegalStateException.class, () -> buffer.freed(0));
  }
}
