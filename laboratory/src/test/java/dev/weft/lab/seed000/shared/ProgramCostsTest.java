package dev.weft.lab.seed000.shared;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.weft.lab.trials.dsm.apps.Operation;
import org.junit.jupiter.api.Test;

class ProgramCostsTest {
  @Test
  void shouldTurnCyclesIntoNanoseconds() {
    ProgramCosts costs = ProgramCosts.load("ib-2003-p3");
    assertEquals(4 / 0.733, costs.ns(Operation.FLOATING, 1), 1e-9);
    assertEquals(1000 * 53.5 / 0.733, costs.ns(Operation.ROOT, 1000), 1e-6);
    assertEquals(2 * costs.ns(Operation.INTEGER, 7), costs.computing(2).ns(Operation.INTEGER, 7), 1e-12);
    assertEquals(costs.faultNs(), costs.computing(2).faultNs());
    assertEquals(1_100 + 2 * 3 * 100, costs.managerNs(2, 3));
  }

  @Test
  void shouldRefuseNumbersWithoutASourceAndUnknownMachines() {
    Config config = ConfigFactory.parseResources(ProgramCosts.class.getClassLoader(), "shared/ib-2003-p3.conf");
    Config without = ConfigFactory.parseString("manager.page.source = \" \"").withFallback(config);
    assertTrue(assertThrows(IllegalArgumentException.class, () -> ProgramCosts.from(without)).getMessage().contains("manager.page has no source"));
    Config negative = ConfigFactory.parseString("manager.page.value = -1").withFallback(config);
    assertThrows(IllegalArgumentException.class, () -> ProgramCosts.from(negative));
    assertTrue(assertThrows(IllegalArgumentException.class, () -> ProgramCosts.load("modern")).getMessage().contains("ib-2003-p3"));
  }
}
