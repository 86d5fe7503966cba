package dev.weft.fabric.switching;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.typesafe.config.ConfigFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SwitchSettingsTest {
  @Test
  void shouldReadTheDefaults() {
    assertEquals(new SwitchSettings(256, 4, 128, 100_000_000, 60_000_000_000L, 1024, 512, 4096, 1, 1_000, false), SwitchSettings.from(ConfigFactory.load()));
  }

  @ParameterizedTest
  @ValueSource(strings = {"ports-max = 0", "virtual-lanes = 16", "input-buffer-packets = 40000", "hoq-lifetime = 10ns"})
  void shouldRefuseValuesOutOfRangeAndNameTheKey(String setting) {
    String key = setting.substring(0, setting.indexOf(' '));
    IllegalArgumentException refusal = assertThrows(
        IllegalArgumentException.class,
        () -> SwitchSettings.from(
            ConfigFactory.parseString("weft.fabric.switch." + setting).withFallback(ConfigFactory.load())));
    assertTrue(refusal.getMessage().contains("weft.fabric.switch." + key), refusal.getMessage());
  }
}
