package dev.weft.lab.seed000;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.lab.figures.Figures;
import dev.weft.lab.repro.Findings;
import dev.weft.lab.repro.Setting;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What it says, not how fast: a loaded machine may fail its checks. */
@Tag("slow")
@Timeout(400)
class ContextsTwoJvmsExperimentTest {
  @Test
  void shouldJudgePollingWhereItHasAProcessorAndShowItsLossWhereItHasNone() {
    Findings findings = new ContextsTwoJvmsExperiment(1, 50).run(new Setting("this machine", 1, Figures.load().calibration()));
    assertEquals(8, findings.tables().getFirst().lines().size(), "four contexts, idle and loaded");
    findings.tables().getFirst().lines().forEach(line -> assertEquals(50.0, line.getLast()));
    boolean hasProcessor = Runtime.getRuntime().availableProcessors() >= 2;
    assertEquals(hasProcessor, findings.checks().stream().anyMatch(check -> check.statement().contains("polling < ISR")));
    assertEquals(hasProcessor ? 2 : 1, findings.checks().size(), "nothing with hogs is judged");
    assertTrue(findings.notes().stream().anyMatch(note -> note.startsWith("with a hog per processor the poller has no processor")),
        findings.notes()::toString);
    assertTrue(findings.rows().isEmpty(), "this machine is not the paper's");
  }
}
