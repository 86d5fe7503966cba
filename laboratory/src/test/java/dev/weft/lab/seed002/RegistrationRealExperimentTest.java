package dev.weft.lab.seed002;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.typesafe.config.ConfigFactory;
import dev.weft.lab.figures.Figures;
import dev.weft.lab.repro.Findings;
import dev.weft.lab.repro.Setting;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** What it says, not how fast: a loaded machine may fail its checks. */
@Isolated("It measures in real time.")
class RegistrationRealExperimentTest {
  private static final Setting SETTING = new Setting("this machine", 1, Figures.load().calibration());

  @Test
  void shouldJudgeTheOrderOfEachPairOrSayThatNothingWasLocked() {
    Findings findings = new RegistrationRealExperiment(1, 200, ConfigFactory.empty()).run(SETTING);
    if (findings.notes().getFirst().startsWith("skipped")) {
      assertTrue(findings.notes().getFirst().contains("ulimit -l"), findings.notes()::toString);
      return;
    }
    assertEquals(4, findings.checks().size());
    assertEquals(5, findings.tables().getFirst().lines().size());
    assertEquals(200.0, findings.tables().getFirst().lines().getFirst().get(4), "dynamic registers for every write");
    assertEquals(40.0, findings.tables().getFirst().lines().get(2).get(4), "a fifth misses");
  }

  @Test
  void shouldJudgeNothingWherePagesAreNotLocked() {
    Findings findings = new RegistrationRealExperiment(1, 200, ConfigFactory.parseString("weft.hca.pin-memory = false")).run(SETTING);
    assertTrue(findings.notes().getFirst().startsWith("skipped"), findings.notes()::toString);
    assertTrue(findings.checks().isEmpty());
  }
}
