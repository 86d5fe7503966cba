package dev.weft.pvfs.mount;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class InterruptionTest {
  @Test
  void shouldInterruptAThreadThatWaitsAndNotWhatItDoesNext() {
    Interruption signal = new Interruption();
    try (signal) {
      assertFalse(Thread.currentThread().isInterrupted());
      signal.come();
      assertTrue(Thread.currentThread().isInterrupted());
    }
    assertFalse(Thread.currentThread().isInterrupted());
    signal.come();
    assertFalse(Thread.currentThread().isInterrupted(), "it came too late");
  }

  @Test
  void shouldLeaveAnInterruptThatIsNotItsOwn() {
    try (Interruption _ = new Interruption()) {
      Thread.currentThread().interrupt();
    }
    assertTrue(Thread.interrupted());
  }
}
