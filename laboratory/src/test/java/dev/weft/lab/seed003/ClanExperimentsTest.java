package dev.weft.lab.seed003;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.lab.hosts.HardwareProfile;
import org.junit.jupiter.api.Test;

/** What the profile of the paper's machines gives; the report compares it with the paper. */
class ClanExperimentsTest {
  private static final HardwareProfile CLAN = HardwareProfile.load("clan-alpha");

  @Test
  void shouldTakeTheTimeOfThePartsForAWord() {
    double ns = SharedMemoryExperiment.wordRoundTripNs(CLAN, 1, 100);
    System.out.println("word " + ns);
    long parts = 2 * (CLAN.switchNs() + CLAN.adapter().sendPacketNs() + CLAN.adapter().receivePacketNs() + 2 * CLAN.adapter().busTransactionNs());
    assertTrue(ns >= parts && ns <= parts + 100, "switch, NICs, buses, and two looks: " + ns);
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

  @Test
  void shouldAnswerNoMoreRequestsThanInterrupts() {
    double many = ServerExperiment.requestsPerSecond(CLAN, 1, 256, 4, "");
    double few = ServerExperiment.requestsPerSecond(CLAN, 1, 2, 100, "");
    double most = 1e9 / (CLAN.cpu().interruptNs() + CLAN.cpu().pollNs());
    assertTrue(few < many && many < most && many > 0.8 * most, few + " with two, " + many + " with 256, at most " + most);
    assertTrue(ServerExperiment.requestsPerSecond(CLAN, 1, 256, 4, "weft.tripwire.fifo-batch = 0") > 2 * most, "one interrupt for many");
  }

  @Test
  void shouldOverlapTheTransferOfStreamedMessagesButNotTheirSetUp() {
    double setupNs = CLAN.adapter().dmaSetupNs() + CLAN.cpu().interruptNs();
    double wireNs = CLAN.link().serialisationNs(1024);
    double stream = MessageExperiment.streamNs(CLAN, 1, 1024, 50);
    assertTrue(stream > setupNs + wireNs && stream < 1.1 * (setupNs + wireNs + 900), "a message each " + stream + " ns");
    assertTrue(MessageExperiment.singleNs(CLAN, 1, 1024, 50) > stream + CLAN.switchNs(), "waits for the acknowledgement");
    assertEquals(stream, MessageExperiment.streamNs(CLAN, 1, 1024, 50), "same seed, same time");
  }
}
