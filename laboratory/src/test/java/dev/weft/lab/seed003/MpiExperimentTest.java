package dev.weft.lab.seed003;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.lab.hosts.HardwareProfile;
import org.junit.jupiter.api.Test;

class MpiExperimentTest {
  private static final HardwareProfile CLAN = HardwareProfile.load("clan-alpha");

  @Test
  void shouldCostMoreThanTheWordItself() {
    double ns = MpiExperiment.roundTripNs(CLAN, 1, 100);
    System.out.println("mpi " + ns);
    assertTrue(ns > SharedMemoryExperiment.wordRoundTripNs(CLAN, 1, 100), "a message is a word and its head: " + ns);
    assertEquals(ns, MpiExperiment.roundTripNs(CLAN, 1, 100), "same seed, same time");
  }
}
