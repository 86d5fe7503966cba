package dev.weft.lab.hosts;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

@Isolated("It measures in real time.")
class ThreadLoadTest {
  @Test
  void shouldComputeUntilClosed() {
    ThreadLoad load = ThreadLoad.start(2);
    long before = load.result();
    while (load.result() == before) {
      Thread.onSpinWait();
    }
    assertEquals(2, load.running());
    load.close();
    assertEquals(0, load.running());
    load.close();
  }

  @Test
  void shouldRefuseACountThatIsNone() {
    assertThrows(IllegalArgumentException.class, () -> ThreadLoad.start(-1));
  }
}
