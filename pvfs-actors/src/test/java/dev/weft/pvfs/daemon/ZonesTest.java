package dev.weft.pvfs.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.typesafe.config.ConfigFactory;
import dev.weft.hca.node.LocalFabric;
import dev.weft.hca.node.Node;
import dev.weft.hca.verbs.Access;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Tag("actor")
@Timeout(180)
class ZonesTest {
  @Test
  void shouldTakeABiggerOneThenChopThenHaveNone() {
    try (LocalFabric fabric = LocalFabric.start(ConfigFactory.parseString("weft.hca.pin-memory = false"))) {
      Node node = fabric.addNode("one");
      Zones zones = new Zones(node.hca().regMr(node.hca().allocPd(), node.hca().allocMemory(Arena.ofAuto(), Zones.MEMORY_MIN), Access.LOCAL_WRITE), 1);
      List<Zones.Zone> taken = new ArrayList<>();
      assertEquals(32 + 16 + 8 + 4 + 2 + 1, zones.count());
      for (int i = 0; i < 2; i++) {
        taken.add(take(zones, 1 << 20, 1 << 20));
      }
      taken.add(take(zones, (1 << 20) - 5, 2 << 20));
      assertNull(zones.take(1 << 20, false), "there is none that fits");
      taken.add(take(zones, 1 << 20, 512 << 10));
      while (zones.used() < zones.count()) {
        taken.add(zones.take(2 << 20, true));
      }
      assertNull(zones.take(1, true));
      taken.forEach(zones::giveBack);
      assertEquals(0, zones.used());
      assertThrows(IllegalStateException.class, () -> zones.giveBack(taken.get(0)));
      take(zones, 1, 64 << 10);
    }
  }

  private static Zones.Zone take(Zones zones, int wanted, int got) {
    Zones.Zone zone = zones.take(wanted, true);
    assertEquals(got, zone.bytes);
    return zone;
  }
}
