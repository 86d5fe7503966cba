package dev.weft.pvfs.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

class RocksSettingsTest {
  @Test
  void shouldNameTheSizeThatIsWrongAndItsLimits() {
    assertEquals("write buffer of the metadata store is 0 bytes, must be from 65536 to 1073741824",
        assertThrows(IllegalArgumentException.class, () -> new RocksSettings(0, 1 << 20, 1 << 20)).getMessage());
    assertEquals("reserve of the metadata store is 1 bytes, must be from 1048576 to 68719476736",
        assertThrows(IllegalArgumentException.class, () -> new RocksSettings(1 << 20, 1 << 20, 1)).getMessage());
  }
}
