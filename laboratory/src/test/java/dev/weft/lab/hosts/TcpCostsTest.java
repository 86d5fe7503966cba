package dev.weft.lab.hosts;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** The paths of profiles that are calibrated on rows pvfs.raw.ibnice.lat and pvfs.raw.ibnice.bw; the test knows them. */
class TcpCostsTest {
  private static final HardwareProfile XEON = HardwareProfile.load("ib-2005-xeon");
  private static final double MB = 1 << 20;

  private static long ns(String path, long bytes) {
    return TcpCosts.of(XEON.name(), path).messageNs(bytes, XEON.memory());
  }

  @Test
  void shouldGiveTheLatencyAndTheBandwidthItIsCalibratedOn() {
    assertEquals(40.1, ns("ipoib", 4) / 1e3, 0.03 * 40.1);
    long many = 64L << 20;
    assertEquals(185, many / MB / (ns("ipoib", many) / 1e9), 0.03 * 185);
  }

  @Test
  void shouldGoNoFasterThanTheWire() {
    long many = 64L << 20;
    double rate = many * 1e9 / ns("gige", many);
    assertTrue(rate < 117e6 && rate > 115e6, rate + " bytes per second");
  }

  @Test
  void shouldChargeEachSegmentOnce() {
    TcpCosts costs = new TcpCosts(10, 20, 5, 100, 1, 3, 1_000_000_000L);
    MemoryCosts memory = XEON.memory();
    assertEquals(33 + Math.max(5 + memory.copyNs(1), 1), costs.messageNs(1, memory));
    assertEquals(33 + 100, costs.messageNs(100, memory), "the wire is slower than the processor");
    assertEquals(33 + 200 + Math.max(5 + memory.copyNs(50), 50), costs.messageNs(250, memory));
  }

  @Test
  void shouldSayWhichPathThereIsNot() {
    assertEquals("profile lanai9 has no TCP path gige",
        assertThrows(IllegalArgumentException.class, () -> TcpCosts.of("lanai9", "gige")).getMessage());
  }
}
