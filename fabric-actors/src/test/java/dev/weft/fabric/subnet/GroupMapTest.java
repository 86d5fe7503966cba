package dev.weft.fabric.subnet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.fabric.trunk.TrunkAddress;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class GroupMapTest {
  private static final Map<String, JvmEntry> JVMS = Map.of("a", jvm("a", 7), "b", jvm("b", 3));

  private final GroupMap map = new GroupMap(2);

  private static JvmEntry jvm(String name, int number) {
    return new JvmEntry(name, 1, number, new TrunkAddress("driver", 1, "", 4096, 1024), true);
  }

  private int lidOf(String name) {
    return map.entries(JVMS).stream().filter(entry -> entry.name().equals(name)).findFirst().orElseThrow().lid();
  }

  @Test
  void shouldKnowWhoReceivesAndForgetAGroupThatNobodyNames() {
    assertEquals(List.of(), map.register("a", List.of(new GroupClaim("g", 0, false))));
    int lid = lidOf("g");
    assertEquals(List.of(new GroupEntry("g", lid, List.of())), map.entries(JVMS));
    map.register("b", List.of(new GroupClaim("g", lid, true)));
    map.register("a", List.of(new GroupClaim("g", lid, true)));
    assertTrue(map.isChanged());
    assertEquals(List.of(new GroupEntry("g", lid, List.of(3, 7))), map.entries(JVMS));
    map.register("a", List.of(new GroupClaim("g", lid, true)));
    assertFalse(map.isChanged(), "a repetition changes nothing");
    map.remove("b");
    assertEquals(List.of(new GroupEntry("g", lid, List.of(7))), map.entries(JVMS));
    map.register("a", List.of());
    assertEquals(List.of(), map.entries(JVMS));
    map.register("a", List.of(new GroupClaim("g", 0, true)));
    assertNotEquals(lid, lidOf("g"), "a LID is not used again at once");
  }

  @Test
  void shouldKeepTheLidsThatAnEarlierManagerGave() {
    assertEquals(List.of(), map.register("a", List.of(new GroupClaim("g", 0xc123, true))));
    assertEquals(List.of(), map.register("b", List.of(new GroupClaim("g", 0, true), new GroupClaim("h", 0, true))));
    assertEquals(0xc123, lidOf("g"));
    assertEquals(0xc124, lidOf("h"));
  }

  @Test
  void shouldRefuseAndSayWhy() {
    map.register("a", List.of(new GroupClaim("g", 0xc010, true)));
    List<NodeRefusal> refused = map.register("b", List.of(new GroupClaim("", 0, true), new GroupClaim("x".repeat(65), 0, true),
        new GroupClaim("h", 0xc010, true), new GroupClaim("g", 0xc011, true), new GroupClaim("i", 5, true),
        new GroupClaim("j", 0, true), new GroupClaim("k", 0, true)));
    assertEquals(List.of("", "x".repeat(65), "h", "g", "i", "k"), refused.stream().map(NodeRefusal::name).toList());
    assertTrue(refused.get(2).reason().contains("belongs to group"), refused.get(2).reason());
    assertTrue(refused.get(5).reason().contains("groups-max"), refused.get(5).reason());
  }
}
