package dev.weft.lab.seed002;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.lab.hosts.HardwareProfile;
import dev.weft.lab.seed002.VerbsExperiment.Verb;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Table 2 of seed 002, on which its profile is calibrated. The test knows the paper's values; the experiment does not. */
class VerbsExperimentTest {
  private static final HardwareProfile XEON = HardwareProfile.load("ib-2003-xeon");

  /** Rows pvfs.raw.*, all calibrate; the paper's MB are 2^20 bytes. */
  @ParameterizedTest
  @CsvSource({"SEND, 8.1, 825", "RDMA_WRITE, 6.0, 827", "RDMA_READ, 12.4, 816"})
  void shouldBeWithinThreePercentOfTheTableItIsCalibratedOn(Verb verb, double paperUs, double paperMiB) {
    assertEquals(paperUs, VerbsExperiment.latencyNs(XEON, verb, 1) / 1e3, 0.03 * paperUs);
    assertEquals(paperMiB, VerbsExperiment.bandwidth(XEON, verb, 1) / (1 << 20), 0.03 * paperMiB);
  }

  /** Row netvm.write.latency, calibrate. */
  @Test
  void shouldWriteOverMyrinetInTheTimeThatItIsCalibratedOn() {
    assertEquals(5.56, VerbsExperiment.latencyNs(HardwareProfile.load("lanai9"), Verb.RDMA_WRITE, 1) / 1e3, 0.03 * 5.56);
  }

  @Test
  void shouldBeFasterToday() {
    HardwareProfile modern = HardwareProfile.load("modern");
    for (Verb verb : Verb.values()) {
      assertTrue(VerbsExperiment.latencyNs(modern, verb, 1) < VerbsExperiment.latencyNs(XEON, verb, 1));
      assertTrue(VerbsExperiment.bandwidth(modern, verb, 1) > VerbsExperiment.bandwidth(XEON, verb, 1));
    }
  }
}
