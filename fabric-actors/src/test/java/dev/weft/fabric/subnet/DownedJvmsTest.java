package dev.weft.fabric.subnet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.fabric.node.Advert;
import dev.weft.fabric.node.NodeEntry;
import dev.weft.fabric.trunk.TrunkAddress;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class DownedJvmsTest {
  private final DownedJvms downed = new DownedJvms();

  private static JvmEntry jvm(int number, long incarnation) {
    return new JvmEntry("127.0.0.1:" + number, incarnation, number, new TrunkAddress("driver", 1, "", 4096, 1024), true);
  }

  private static FabricView view(JvmEntry one, JvmEntry two) {
    return new FabricView(7, List.of(one, two), List.of(new NodeEntry("a", 1, one.jvm(), null), new NodeEntry("b", 2, two.jvm(), null)),
        List.of(new GroupEntry("group", 0xc001, List.of(one.number(), two.number()))),
        List.of(Advert.of("a", "disk", Map.of()), Advert.of("b", "disk", Map.of())));
  }

  @Test
  void shouldTakeAllThatADeadJvmHadOutOfTheView() {
    assertTrue(downed.add("127.0.0.1:2", 22));
    FabricView left = downed.without(view(jvm(1, 11), jvm(2, 22)));
    assertEquals(new FabricView(7, List.of(jvm(1, 11)), List.of(new NodeEntry("a", 1, "127.0.0.1:1", null)),
        List.of(new GroupEntry("group", 0xc001, List.of(1))), List.of(Advert.of("a", "disk", Map.of()))), left);
  }

  @Test
  void shouldKeepAJvmThatWasStartedAgainAtTheSameAddress() {
    downed.add("127.0.0.1:2", 22);
    FabricView view = view(jvm(1, 11), jvm(2, 23));
    assertSame(view, downed.without(view));
  }

  @Test
  void shouldForgetTheOldestWhenThereAreTooMany() {
    for (int i = 0; i <= DownedJvms.MAX; i++) {
      assertTrue(downed.add("127.0.0.1:1", i));
    }
    assertFalse(downed.add("127.0.0.1:1", DownedJvms.MAX));
    assertTrue(downed.add("127.0.0.1:1", 0));
  }
}
