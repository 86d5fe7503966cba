package dev.weft.lab.trials.dsm.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.typesafe.config.ConfigFactory;
import dev.weft.dsm.report.DsmSnapshot;
import dev.weft.dsm.settings.DsmSettings;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Homes that move beside those that do not, in real time. */
@Tag("slow")
@Timeout(120)
class MovingHomesTeamTest {
  private static Team team(int nodes, String home) {
    return new Team(nodes, 1, 1, null, null, home, false);
  }

  private static List<Bench.Hops> hops(String home) {
    HopsBench bench = new HopsBench(List.of(HopsBench.NAME, "4"));
    team(4, home).play(bench);
    return bench.hops();
  }

  @Test
  void shouldWaitForFewerMessagesWhereHomesMove() {
    List<Bench.Hops> fixed = hops("fixed");
    List<Bench.Hops> dynamic = hops("dynamic");
    assertEquals(3, dynamic.size());
    for (int i = 1; i < 3; i++) {
      assertTrue(dynamic.get(i).each() < fixed.get(i).each(), dynamic + " beside " + fixed);
    }
    assertTrue(dynamic.stream().allMatch(each -> each.faults() > 0 && each.each() <= 5), dynamic::toString);
  }

  @Test
  void shouldRunVerifiedApplicationsWhereHomesMove() {
    for (String name : List.of("sor", "is", "tsp")) {
      RunTask task = new RunTask(List.of(RunTask.NAME, name, dev.weft.lab.trials.dsm.apps.Applications.byName(name).sizes().getFirst(), "sequential", "1"));
      List<DsmSnapshot> nodes = team(3, "dynamic").play(task);
      assertTrue(task.outcome().passed(), () -> name + ": " + task.outcome());
      assertTrue(nodes.stream().mapToLong(DsmSnapshot::homeMoves).sum() > 0, () -> name + ": "
          + nodes.stream().map(NodeLine::of).collect(Collectors.joining("\n")));
    }
  }

  @Test
  void shouldRefuseHomesThatMoveWithTheSynchronousEngine() {
    String why = assertThrows(IllegalArgumentException.class, () -> DsmSettings.from(ConfigFactory.parseString(
        "weft.dsm { home = dynamic, engine = synchronous }").withFallback(ConfigFactory.load()))).getMessage();
    assertEquals("weft.dsm.home is dynamic, must be fixed or centralized where weft.dsm.engine is synchronous: its directory entries cannot move", why);
    assertEquals("weft.dsm.home is moving, must be one of fixed, centralized, dynamic", assertThrows(IllegalArgumentException.class, () -> DsmSettings.from(
        ConfigFactory.parseString("weft.dsm.home = moving").withFallback(ConfigFactory.load()))).getMessage());
  }
}
