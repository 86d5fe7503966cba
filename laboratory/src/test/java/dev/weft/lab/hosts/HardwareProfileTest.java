package dev.weft.lab.hosts;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class HardwareProfileTest {
  static Iterable<String> names() {
    return HardwareProfile.NAMES;
  }

  @ParameterizedTest
  @MethodSource("names")
  void shouldReadEachProfileThatShips(String name) {
    HardwareProfile profile = HardwareProfile.load(name);
    assertEquals(name, profile.name());
    assertEquals(profile, HardwareProfile.load(name));
    assertTrue(profile.memory().registrationNs(1 << 20) > profile.memory().registrationNs(1));
    assertTrue(profile.memory().fastRegistrationNs(1 << 20) < profile.memory().registrationNs(1 << 20));
    assertTrue(profile.memory().copyNs(1 << 20) > 0);
  }

  @Test
  void shouldNameTheProfilesWhenOneIsUnknown() {
    for (String name : new String[] {"ib-1999", "../reference", ""}) {
      String message = assertThrows(IllegalArgumentException.class, () -> HardwareProfile.load(name)).getMessage();
      assertTrue(message.contains("ib-2003-p3"), message);
    }
  }

  @Test
  void shouldNameTheKeyThatIsMissingOrOutOfRange() {
    Config good = ConfigFactory.parseResources(HardwareProfileTest.class.getClassLoader(), "profiles/ib-2003-p3.conf");
    refused(good.withoutPath("cpu.softirq"), "softirq");
    refused(ConfigFactory.parseString("cpu.cores = 0").withFallback(good), "cpu.cores");
    refused(ConfigFactory.parseString("cpu.interrupt-core = 2").withFallback(good), "interrupt-core");
    refused(ConfigFactory.parseString("cpu.poll = 2h").withFallback(good), "cpu.poll");
    refused(ConfigFactory.parseString("link.mtu = 1000").withFallback(good), "link.mtu");
    refused(ConfigFactory.parseString("bus.bandwidth = 0").withFallback(good), "bus.bandwidth");
  }

  private static void refused(Config config, String key) {
    String message = assertThrows(IllegalArgumentException.class, () -> HardwareProfile.parse("bad", config)).getMessage();
    assertTrue(message.contains(key), message);
  }
}
