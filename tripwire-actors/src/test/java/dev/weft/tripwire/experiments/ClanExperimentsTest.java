package dev.weft.tripwire.experiments;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.fabric.host.HardwareProfile;
import org.junit.jupiter.api.Test;

/** What the profile of the paper's machines gives; the report compares it with the paper. */
class ClanExperimentsTest {
  private static final HardwareProfile CLAN = HardwareProfile.load("clan-alpha");

  @Test
  void shouldTakeTheTimeOfThePartsForAWord() {
    double ns = SharedMemoryExperiment.wordRoundTripNs(CLAN, 1, 100);
    System.out.println("word " + ns);
    assertTrue(ns > 2 * (CLAN.switchNs() + 2 * CLAN.adapter().sendPacketNs()), "at least switch and NICs: " + ns);
  }

  @Test
  void shouldMoveDataAtTheSpeedOfTheLink() {
    double rate = SharedMemoryExperiment.dmaBitsPerSecond(CLAN, 1, 1 << 20);
    System.out.println("dma " + rate);
    assertTrue(rate < CLAN.link().bandwidthBitsPerSecond(), "no faster than the link: " + rate);
    assertTrue(rate > 0.9 * CLAN.link().bandwidthBitsPerSecond(), "near the link's speed: " + rate);
  }

  @Test
  void shouldBeFasterWhenTheServerIsKeptBusyAndIndependentOfConnections() {
    double idle = ServerExperiment.roundTripNs(CLAN, 1, 10, 100_000, 50);
    double busy = ServerExperiment.roundTripNs(CLAN, 1, 10, 0, 50);
    double busyMany = ServerExperiment.roundTripNs(CLAN, 1, 1000, 0, 50);
    System.out.println("idle " + idle + " busy " + busy + " with 1000 " + busyMany);
    assertTrue(idle - busy > CLAN.cpu().schedulingNs() / 2, "idle " + idle + " busy " + busy);
    assertEquals(busy, busyMany, busy * 0.02);
    assertEquals(idle, ServerExperiment.roundTripNs(CLAN, 1, 10, 100_000, 50), "same seed, same time");
  }
}
