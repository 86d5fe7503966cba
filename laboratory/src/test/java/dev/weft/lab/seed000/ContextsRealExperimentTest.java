package dev.weft.lab.seed000;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.lab.figures.Figures;
import dev.weft.lab.repro.Findings;
import dev.weft.lab.repro.Setting;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** What it says, not how fast: a loaded machine may fail its checks. */
@Isolated("It measures in real time.")
class ContextsRealExperimentTest {
  @Test
  void shouldJudgeIdleAndLoadedAndLeavePollingOpen() {
    Findings findings = new ContextsRealExperiment(1, 50).run(new Setting("this machine", 1, Figures.load().calibration()));
    assertEquals(8, findings.tables().getFirst().lines().size(), "four contexts, idle and loaded");
    findings.tables().getFirst().lines().forEach(line -> assertEquals(50.0, line.getLast()));
    assertEquals(4, findings.checks().size(), "order and ratio, idle and loaded");
    assertTrue(findings.checks().stream().noneMatch(check -> check.statement().contains("polling")));
    assertTrue(findings.notes().stream().anyMatch(note -> note.contains("share one hardware thread")), findings.notes()::toString);
    assertTrue(findings.rows().isEmpty(), "this machine is not the paper's");
  }
}
