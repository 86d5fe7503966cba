package dev.weft.fabric;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigParseOptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class KnownSettingsTest {
  private static void check(String settings) {
    KnownSettings.check(ConfigFactory.parseString(settings, ConfigParseOptions.defaults().setOriginDescription("my.conf")));
  }

  private static String refusal(String settings) {
    return assertThrows(IllegalArgumentException.class, () -> check(settings)).getMessage();
  }

  @ParameterizedTest
  @CsvSource({
    "weft.fabric.trunk.path-mut, weft.fabric.trunk.path-mtu",
    "weft.fabric.trunk.pathmtu, weft.fabric.trunk.path-mtu",
    "weft.fabrik.trunk.path-mtu, weft.fabric.trunk.path-mtu",
    "weft.trunk.path-mtu, weft.fabric.trunk.path-mtu",
    "weft.fabric.switch.hoqlifetime, weft.fabric.switch.hoq-lifetime",
    "weft.hardware-dispatcher.spin-cycles, weft.hardware-dispatcher.duty-cycle.spin-cycles",
    "weft.fabric.trunk.path-mtu.bytes, weft.fabric.trunk.path-mtu"})
  void shouldNameTheNearestSetting(String key, String nearest) {
    assertEquals(key + " (my.conf: 1) is no setting of the modules on the class path; did you mean " + nearest + "?", refusal(key + " = 1"));
  }

  @Test
  void shouldNameEachOfSeveralInOneLine() {
    assertEquals("weft.fabric.switch.port-max (my.conf: 1) is no setting of the modules on the class path; did you mean "
        + "weft.fabric.switch.ports-max?; weft.tls.certificate (my.conf: 2) is no setting of the modules on the class path; did you mean "
        + "weft.tls.certificates?", refusal("weft.fabric.switch.port-max = 3\nweft.tls.certificate = x"));
  }

  @Test
  void shouldTellASectionFromASetting() {
    assertEquals("weft.fabric.capture (my.conf: 1) is no setting of the modules on the class path; it is a section with settings like "
        + "weft.fabric.capture.buffer-size", refusal("weft.fabric.capture = 3"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "other.key = 1", "akka.loglevel = INFO", "weft.fabric.trunk.path-mtu = 4096", "weft.fabric {}",
    "weft.hardware-dispatcher.mailbox-requirement = x", "weft.hardware-dispatcher.throughput-deadline-time = 1 ms"})
  void shouldTakeWhatSomebodyReads(String settings) {
    check(settings);
  }

  @Test
  void shouldTakeAWholeConfiguration() {
    KnownSettings.check(ConfigFactory.load());
  }

  @Test
  void shouldLookAtSystemPropertiesToo() {
    System.setProperty("weft.fabric.trunk.xyz", "1");
    try {
      assertEquals("weft.fabric.trunk.xyz (system properties) is no setting of the modules on the class path; did you mean "
          + "weft.fabric.trunk.icrc?", refusal(""));
    } finally {
      System.clearProperty("weft.fabric.trunk.xyz");
    }
  }

  /** They choose tests, and are read as properties only. */
  @ParameterizedTest
  @ValueSource(strings = {"weft.sim.seeds", "weft.stress.select", "weft.train.directory", "weft.seed", "weft.test.outside", "weft.tripwire.writes"})
  void shouldTakePropertiesThatAreNoSettingsAsPropertiesOnly(String property) {
    System.setProperty(property, "1");
    try {
      ConfigFactory.invalidateCaches();
      KnownSettings.check(ConfigFactory.load());
    } finally {
      System.clearProperty(property);
      ConfigFactory.invalidateCaches();
    }
    refusal(property + " = 1");
  }
}
