package dev.weft.fabric.subnet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.fabric.node.NodeEntry;
import dev.weft.fabric.subnet.SubnetMap.Outcome;
import dev.weft.fabric.subnet.SubnetMap.Seen;
import dev.weft.fabric.trunk.TrunkAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class SubnetMapTest {
  private static final Seen NOTHING = new Seen(0, 0, 0);

  private final SubnetMap map = new SubnetMap(400, 8, 1000);

  private static JvmEntry jvm(int number, long incarnation, int stream) {
    return new JvmEntry("127.0.0.1:" + (2550 + number), incarnation, stream, new TrunkAddress("driver", 1, "", 4096, 1024), true);
  }

  private static NodeClaim claim(String name) {
    return new NodeClaim(name, 0, null);
  }

  private static NodeClaim claim(String name, int lid) {
    return new NodeClaim(name, lid, null);
  }

  @Test
  void shouldGiveDifferentLidsAndNumbersAndKeepThemWhenTheRegistrationIsRepeated() {
    Outcome one = map.register(jvm(1, 11, 0), List.of(claim("a"), claim("b")), NOTHING);
    Outcome two = map.register(jvm(2, 22, 0), List.of(claim("c")), NOTHING);
    FabricView view = map.view();

    assertEquals(List.of(1, 2), one.accepted().stream().map(NodeEntry::lid).toList());
    assertEquals(List.of(3), two.accepted().stream().map(NodeEntry::lid).toList());
    assertNotEquals(one.jvm().number(), two.jvm().number());
    assertEquals(1, view.version());

    Outcome again = map.register(one.jvm(), List.of(claim("a", 1), claim("b")), Seen.of(view));
    assertEquals(one, again);
    assertFalse(map.isChanged());
    assertSame(view, map.view());
  }

  @Test
  void shouldRefuseANameThatAnotherJvmHolds() {
    map.register(jvm(1, 11, 0), List.of(claim("a")), NOTHING);
    Outcome outcome = map.register(jvm(2, 22, 0), List.of(claim("a"), claim("b")), NOTHING);

    assertEquals(1, outcome.refused().size());
    assertEquals("the name \"a\" belongs to a node of JVM 127.0.0.1:2551; choose another",
        outcome.refused().getFirst().reason());
    assertEquals("b", outcome.accepted().getFirst().name());
  }

  @Test
  void shouldRefuseALidThatAnotherNodeHolds() {
    map.register(jvm(1, 11, 0), List.of(claim("a")), NOTHING);
    Outcome outcome = map.register(jvm(2, 22, 0), List.of(claim("b", 1), claim("c", 0xc000)), NOTHING);

    assertEquals("LID 1 belongs to node \"a\" of JVM 127.0.0.1:2551", outcome.refused().get(0).reason());
    assertEquals("LID 49152 must be from 1 to 49151, or 0 for a new one", outcome.refused().get(1).reason());
    assertTrue(outcome.accepted().isEmpty());
  }

  @Test
  void shouldForgetNodesThatAJvmNoLongerNamesAndNotReuseTheirLidsSoon() {
    Outcome before = map.register(jvm(1, 11, 0), List.of(claim("a"), claim("b")), NOTHING);
    map.view();
    map.register(before.jvm(), List.of(claim("a", 1)), NOTHING);
    FabricView view = map.view();
    Outcome after = map.register(before.jvm(), List.of(claim("a", 1), claim("b")), NOTHING);

    assertEquals(List.of("a"), view.nodes().stream().map(NodeEntry::name).toList());
    assertEquals(2, view.version());
    assertEquals(3, after.accepted().getLast().lid());
  }

  @Test
  void shouldDropAJvmWithItsNodesWhenItIsRemovedButNotItsSuccessorAtTheSameAddress() {
    Outcome first = map.register(jvm(1, 11, 0), List.of(claim("a")), NOTHING);
    Outcome second = map.register(jvm(1, 12, 0), List.of(claim("a")), NOTHING);
    assertNotEquals(first.jvm().number(), second.jvm().number());

    map.remove("127.0.0.1:2551", 11);
    assertEquals(1, map.view().jvms().size());
    map.remove("127.0.0.1:2551", 12);
    assertTrue(map.view().jvms().isEmpty());
    assertTrue(map.view().nodes().isEmpty());
  }

  @Test
  void shouldMarkAJvmUnreachableAndReachableAgain() {
    map.register(jvm(1, 11, 0), List.of(claim("a")), NOTHING);
    map.view();
    map.reachable("127.0.0.1:2551", 11, false);
    assertFalse(map.view().jvm("127.0.0.1:2551").reachable());
    map.register(jvm(1, 11, 1), List.of(claim("a", 1)), NOTHING);
    assertFalse(map.view().jvm("127.0.0.1:2551").reachable(), "a repeated registration does not make it reachable");
    map.reachable("127.0.0.1:2551", 11, true);
    assertTrue(map.view().jvm("127.0.0.1:2551").reachable());
    assertNull(map.view().jvm("127.0.0.1:9999"));
  }

  @Test
  void shouldTakeOverWhatAnEarlierManagerAssigned() {
    List<Outcome> outcomes = new ArrayList<>();
    for (int i = 1; i <= 3; i++) {
      outcomes.add(map.register(jvm(i, i, 0), List.of(claim("n" + i), claim("m" + i)), NOTHING));
      map.view();
    }
    FabricView view = map.view();
    SubnetMap successor = new SubnetMap(400, 8, 1000);
    for (int i : new int[] {2, 0}) {
      Outcome had = outcomes.get(i);
      List<NodeClaim> claims = had.accepted().stream().map(n -> claim(n.name(), n.lid())).toList();
      assertEquals(had, successor.register(had.jvm(), claims, Seen.of(view)));
    }
    Outcome late = successor.register(jvm(9, 9, 0), List.of(claim("new")), NOTHING);
    assertEquals(7, late.accepted().getFirst().lid(), "not a LID of the JVM that has not come yet");
    assertEquals(4, late.jvm().number());
    assertTrue(successor.view().version() > view.version());
  }

  @Test
  void shouldRefuseMoreNodesThanItsLimit() {
    SubnetMap small = new SubnetMap(2, 8, 1000);
    Outcome outcome = small.register(jvm(1, 1, 0), List.of(claim("a"), claim("b"), claim("c"), claim("")), NOTHING);
    assertEquals(2, outcome.accepted().size());
    assertEquals("the fabric has 2 nodes, as many as weft.fabric.subnet.nodes-max allows",
        outcome.refused().get(0).reason());
    assertEquals("a node name has 1 to 64 characters, this one has 0", outcome.refused().get(1).reason());
  }

  @Test
  void shouldKeepLidsUniqueAndStableThroughRandomComingAndGoing() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    Map<String, Integer> lidByNode = new HashMap<>();
    Map<Integer, JvmEntry> members = new HashMap<>();
    Map<Integer, List<String>> nodes = new HashMap<>();
    long incarnations = 0;
    long version = 0;
    for (int step = 0; step < 5000; step++) {
      int number = random.nextInt(8);
      if (members.containsKey(number) && random.nextInt(5) == 0) {
        map.remove(members.get(number).jvm(), members.remove(number).incarnation());
        nodes.remove(number).forEach(lidByNode::remove);
      } else {
        List<String> names = nodes.computeIfAbsent(number, n -> new ArrayList<>());
        if (!names.isEmpty() && random.nextInt(3) == 0) {
          lidByNode.remove(names.remove(random.nextInt(names.size())));
        } else if (names.size() < 20) {
          names.add(number + "-" + step);
        }
        long incarnation = members.containsKey(number) ? members.get(number).incarnation() : ++incarnations;
        int stream = members.containsKey(number) ? members.get(number).number() : 0;
        Outcome outcome = map.register(jvm(number, incarnation, stream),
            names.stream().map(n -> claim(n, lidByNode.getOrDefault(n, 0))).toList(), Seen.of(map.view()));
        members.put(number, outcome.jvm());
        String where = "seed " + seed + " step " + step;
        assertTrue(outcome.refused().isEmpty(), where);
        outcome.accepted().forEach(n -> assertEquals(n.lid(), lidByNode.computeIfAbsent(n.name(), x -> n.lid()), where));
      }
      FabricView view = map.view();
      String where = "seed " + seed + " step " + step;
      Set<Integer> lids = new HashSet<>();
      view.nodes().forEach(n -> assertTrue(lids.add(n.lid()) && n.lid() > 0 && n.lid() <= 0xbfff, where));
      assertEquals(lidByNode.size(), lids.size(), where);
      assertEquals(members.size(), view.jvms().stream().map(JvmEntry::number).distinct().count(), where);
      assertTrue(view.version() >= version, where);
      version = view.version();
    }
  }
}
