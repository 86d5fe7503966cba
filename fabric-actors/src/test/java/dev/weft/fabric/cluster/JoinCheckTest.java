package dev.weft.fabric.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import akka.cluster.Invalid;
import akka.cluster.Valid$;
import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import java.util.List;
import org.junit.jupiter.api.Test;

class JoinCheckTest {
  private static Config jvm(String version, int lanes, String seeds) {
    return ConfigFactory.parseString("weft.fabric.cluster.version = \"" + version + "\", weft.fabric.switch.virtual-lanes = " + lanes
        + ", akka.cluster.seed-nodes = [" + seeds + "]");
  }

  @Test
  void shouldTellWhoJoinsWhatWouldBeRight() {
    assertEquals(List.of("the fabric runs Weft 2.0, this is 1.9; use the same version on all hosts",
        "weft.fabric.switch.virtual-lanes is 4 in the fabric and 8 here; set it to 4"),
        JoinCheck.objections(jvm("2.0", 4, ""), jvm("1.9", 8, "")));
    assertEquals(List.of(), JoinCheck.objections(jvm("2.0", 4, ""), jvm("2.0", 4, "x")));
  }

  @Test
  void shouldNameTheRightCallToWhoJoinsTheFabricOfUpAsAPrograms() {
    Config up = survivors("keep-majority");
    Config program = survivors("lease-majority");
    assertEquals(List.of("the fabric was started by 'weft up', and this JVM joins it as another program's; call dev.weft.service.access.FabricAccess.open()"
        + " instead"), JoinCheck.objections(up, program));
    assertEquals(List.of(), JoinCheck.objections(up, up));
    assertEquals(1, JoinCheck.objections(program, up).size());
  }

  private static Config survivors(String strategy) {
    return ConfigFactory.parseString("akka.cluster.split-brain-resolver.active-strategy = " + strategy).withFallback(jvm("2.0", 4, "x"));
  }

  @Test
  void shouldRefuseAFabricThatDoesNotSayItsVersion() {
    assertEquals(List.of("the fabric runs Weft unknown, this is 1.9; use the same version on all hosts"),
        JoinCheck.objections(ConfigFactory.parseString("weft.fabric.switch.virtual-lanes = 4"), jvm("1.9", 4, "x")));
  }

  @Test
  void shouldLeaveTheJudgementToTheJvmThatJoins() {
    JoinCheck check = new JoinCheck();
    assertEquals(Valid$.MODULE$, check.check(jvm("2.0", 4, "x"), jvm("1.9", 4, "")), "the first JVM lets everybody find out");
    assertInstanceOf(Invalid.class, check.check(jvm("2.0", 4, ""), jvm("1.9", 4, "x")));
    assertEquals("the fabric runs Weft 2.0, this is 1.9; use the same version on all hosts", JoinCheck.refusal());
  }
}
