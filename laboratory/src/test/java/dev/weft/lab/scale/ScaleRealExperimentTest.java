package dev.weft.lab.scale;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.lab.CommandRun;
import dev.weft.lab.figures.Figures;
import dev.weft.lab.hosts.HardwareProfile;
import dev.weft.lab.repro.Findings;
import dev.weft.lab.repro.Setting;
import dev.weft.lab.repro.Size;
import dev.weft.service.ExitCode;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;

/** What it says and how it judges, not how fast this machine is. */
@Tag("slow")
@Isolated("It measures in real time.")
@Timeout(180)
class ScaleRealExperimentTest {
  private static ScaleCost cost(int hosts, long events, long cpuNs) {
    return new ScaleCost(hosts, 9, 1_000, 1, events, cpuNs, cpuNs, 0, 1, 1, 1, "1");
  }

  private static Findings judge(ScaleCost... costs) {
    return new ScaleRealExperiment((profile, setting) -> List.of(costs))
        .run(new Setting("this machine", 1, Figures.load().calibration()));
  }

  @Test
  void shouldMeasureRealRunsOfEachSize() {
    Findings findings = new ScaleRealExperiment((profile, setting) ->
        ScaleMain.measure(HardwareProfile.load(profile), setting.seed(), setting.size()))
        .run(new Setting("this machine", 1, Figures.load().calibration(), new Size(40, 2_000)));
    List<List<Object>> lines = findings.tables().getFirst().lines();
    assertEquals(List.of(10.0, 40.0), lines.stream().map(List::getFirst).toList());
    assertEquals(List.of(2_000L, 2_000L), lines.stream().map(line -> line.get(2)).toList());
    assertEquals(3, findings.checks().size(), "events per second of both, and the ratio");
  }

  @Test
  void shouldJudgeSpeedAndRatio() {
    Findings good = judge(cost(10, 1_000, 1_000_000), cost(1_000, 1_000, 1_400_000));
    assertTrue(good.checks().stream().allMatch(check -> check.holds()), good.checks()::toString);
    Findings dear = judge(cost(10, 1_000, 1_000_000), cost(1_000, 1_000, 1_600_000));
    assertFalse(dear.checks().getLast().holds(), "1.6 times");
    assertTrue(dear.checks().get(1).holds(), "625 k events in a second");
    Findings slow = judge(cost(10, 1_000, 4_000_000), cost(1_000, 1_000, 4_000_000));
    assertFalse(slow.checks().getFirst().holds(), "250 k events in a second");
    assertTrue(slow.checks().getLast().holds());
  }

  @Test
  void shouldRefuseASizeWhereThereIsNone() {
    CommandRun run = CommandRun.of("repro", "verbs", "--hosts", "20");
    assertEquals(ExitCode.USAGE, run.exitCode());
    assertTrue(run.err().contains("'scale'"), run.err());
    CommandRun few = CommandRun.of("repro", "scale", "--hosts", "20", "--messages", "19");
    assertEquals(ExitCode.USAGE, few.exitCode());
    assertTrue(few.err().contains("--messages is 19"), few.err());
  }
}
