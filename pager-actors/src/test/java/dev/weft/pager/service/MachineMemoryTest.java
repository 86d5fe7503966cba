package dev.weft.pager.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.typesafe.config.ConfigFactory;
import dev.weft.pager.server.ServerSettings;
import org.junit.jupiter.api.Test;

/** Which wishes a machine can fulfil. */
class MachineMemoryTest {
  private static final long GIB = 1L << 30;

  private static String refusal(long serverGib, int servers, int jvms, long totalGib, long availableGib) {
    return MachineMemory.refusal(serverGib * GIB, servers, jvms, totalGib * GIB, availableGib * GIB);
  }

  @Test
  void shouldAllowWhatFits() {
    assertNull(refusal(20, 1, 2, 24, 23));
    assertNull(refusal(4, 4, 5, 24, 23));
    assertNull(refusal(20, 1, 2, 24, Long.MAX_VALUE / GIB));
  }

  @Test
  void shouldRefuseMoreThanNineTenthsOfTheMachine() {
    String message = refusal(11, 2, 1, 24, 23);
    assertTrue(message.contains("would take 22528 MiB, this machine has 24576 MiB"), message);
    assertTrue(MachineMemory.refusal(Long.MAX_VALUE - 4095, 3, 2, 24 * GIB, GIB).contains("this machine has"), "no overflow");
  }

  @Test
  void shouldRefuseWhatOthersUse() {
    String message = refusal(3, 5, 4, 24, 15);
    assertTrue(message.contains("would take 15360 MiB and the JVMs about 1024, of 24576 MiB of this machine 15360 MiB are available"), message);
    assertNull(refusal(3, 5, 4, 24, 18));
    assertTrue(refusal(3, 5, 4, 24, 17).contains("nine tenths"));
  }

  @Test
  void shouldCountWhatAServerKeepsInMemory() {
    ServerSettings pinned = ServerSettings.from(ConfigFactory.parseString("weft.pager.server.store = direct")
        .withFallback(ConfigFactory.load()));
    assertEquals(GIB, MachineMemory.ofServer(GIB, pinned));
    ServerSettings unpinned = ServerSettings.from(ConfigFactory.parseString(
        "weft.pager.server { store = direct, registration = unpinned, resident-memory = 64 MiB }").withFallback(ConfigFactory.load()));
    assertEquals(64L << 20, MachineMemory.ofServer(GIB, unpinned));
    assertEquals(1L << 20, MachineMemory.ofServer(1L << 20, unpinned));
    ServerSettings staged = ServerSettings.from(ConfigFactory.parseString("weft.pager.server { store = staged, staging-slots = 10 }")
        .withFallback(ConfigFactory.load()));
    assertEquals(GIB + 10L * staged.maxRequestBytes(), MachineMemory.ofServer(GIB, staged));
  }
}
