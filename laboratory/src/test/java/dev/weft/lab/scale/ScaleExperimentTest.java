package dev.weft.lab.scale;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.hca.node.FabricShape;
import dev.weft.lab.hosts.HardwareProfile;
import dev.weft.lab.scale.ScaleExperiment.Result;
import dev.weft.lab.scale.ScaleExperiment.Setup;
import org.junit.jupiter.api.Test;

class ScaleExperimentTest {
  private static final HardwareProfile MODERN = HardwareProfile.load("modern");
  /** Eight hosts on a leaf, so that most messages pass a spine. */
  private static final Setup FORTY = new Setup(40, 20_000, FabricShape.fatTree(8, 3));

  private static Result run(long seed, Setup setup) {
    try (ScaleExperiment experiment = new ScaleExperiment(MODERN, seed, setup)) {
      return experiment.exchange();
    }
  }

  @Test
  void shouldDeliverEachMessageOnceAcrossSwitchesAndRepeatItself() {
    Result first = run(1, FORTY);
    assertEquals(8, first.switches(), "five leaves, three spines");
    assertEquals(10_000, first.rcMessages());
    assertEquals(10_000, first.udMessages());
    assertEquals(first, run(1, FORTY), "trace hash, events and virtual time");
    assertNotEquals(first.traceHash(), run(2, FORTY).traceHash());
  }

  @Test
  void shouldTakeEventsInProportionToMessages() {
    Result first = run(1, FORTY);
    Result twice = run(1, new Setup(40, 40_000, FORTY.shape()));
    double ratio = (double) twice.events() / first.events();
    assertTrue(ratio > 1.8 && ratio < 2.2, "events " + first.events() + " and " + twice.events());
    double byMessage = (double) first.events() / FORTY.messages();
    assertTrue(byMessage < 40, "a message takes " + byMessage + " events: somebody retransmits or a timer fires without need");
  }

  @Test
  void shouldRunOnOneSwitchAndWithFewHosts() {
    for (int hosts : new int[] {2, 3, 17, 18}) {
      Result result = run(1, new Setup(hosts, 1_001, FabricShape.ONE_SWITCH));
      assertEquals(1, result.switches());
      assertEquals(1_001, result.rcMessages() + result.udMessages());
    }
  }

  @Test
  void shouldRefuseWhatItCannotRun() {
    assertThrows(IllegalArgumentException.class, () -> Setup.of(1, 100));
    assertThrows(IllegalArgumentException.class, () -> Setup.of(10, 9));
    assertThrows(IllegalArgumentException.class, () -> new FabricShape(8, 0));
  }
}
