package dev.weft.fabric.subnet;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.weft.fabric.node.Advert;
import dev.weft.fabric.node.NodeEntry;
import dev.weft.fabric.trunk.TrunkAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ClusterDirectoryTest {
  private static final int GROUP_LID = 0xc005;

  private static JvmEntry jvm(int number, int pathMtuBytes) {
    return new JvmEntry("127.0.0.1:" + number, 1, number, new TrunkAddress("driver", 1, "", pathMtuBytes, pathMtuBytes), true);
  }

  private static NodeEntry node(String name, int lid, int jvmNumber) {
    return new NodeEntry(name, lid, "127.0.0.1:" + jvmNumber, null);
  }

  @Test
  void shouldTellWhatTheWayToANodeItsLidOrAGroupCarries() {
    ClusterDirectory directory = new ClusterDirectory();
    assertEquals(Integer.MAX_VALUE, directory.pathMtuToLid(GROUP_LID));
    FabricView view = new FabricView(1, List.of(jvm(1, Integer.MAX_VALUE), jvm(2, 4096), jvm(3, 1392)),
        List.of(node("own", 1, 1), node("near", 2, 2), node("far", 3, 3)), List.of(), List.of());
    directory.apply(view, entry -> entry.trunks().pathMtuBytes());

    assertEquals(List.of(Integer.MAX_VALUE, 4096, 1392, Integer.MAX_VALUE),
        List.of(1, 2, 3, 4).stream().map(directory::pathMtuToLid).toList());
    assertEquals(1392, directory.pathMtuTo("far"));
    assertEquals(1392, directory.pathMtuToLid(GROUP_LID), "all members have to get it");

    directory.apply(new FabricView(2, List.of(jvm(1, Integer.MAX_VALUE), jvm(2, 4096)),
        List.of(node("own", 1, 1), node("near", 3, 2)), List.of(), List.of()), entry -> entry.trunks().pathMtuBytes());
    assertEquals(4096, directory.pathMtuToLid(3));
    assertEquals(4096, directory.pathMtuToLid(GROUP_LID));
  }

  @Test
  void shouldNotTakeANodeForLostWhoseServicesOfferSomethingElse() {
    ClusterDirectory directory = new ClusterDirectory();
    List<String> lost = new ArrayList<>();
    directory.onNodeLost(lost::add);
    List<JvmEntry> jvms = List.of(jvm(1, 4096));
    List<NodeEntry> nodes = List.of(node("a", 1, 1));
    directory.apply(new FabricView(1, jvms, nodes, List.of(), List.of(Advert.of("a", "disk", Map.of("capacity", "1")))), entry -> 4096);
    directory.apply(new FabricView(2, jvms, nodes, List.of(), List.of(Advert.of("a", "disk", Map.of("capacity", "2")),
        Advert.of("a", "clock", Map.of()))), entry -> 4096);

    assertEquals(List.of(), lost);
    assertEquals(2L, directory.adverts("disk").getFirst().number("capacity").orElseThrow());
    assertEquals(1, directory.adverts("clock").size());
    assertEquals(List.of(), directory.adverts("none"));
  }

  /** Who hears of one of these losses must be able to tell that it is not that node's. */
  @Test
  void shouldSayThatThisJvmHasLeftBeforeItTellsAnyLoss() {
    ClusterDirectory directory = new ClusterDirectory();
    List<String> lost = new ArrayList<>();
    directory.onNodeLost(name -> lost.add(name + " " + directory.hasLeft()));
    FabricView view = new FabricView(1, List.of(jvm(1, 4096)), List.of(node("a", 1, 1), node("b", 2, 1)), List.of(), List.of());
    directory.apply(view, entry -> 4096);
    directory.loseAll();
    directory.loseAll();
    directory.apply(view, entry -> 4096);
    assertEquals(List.of("a true", "b true"), lost);
    assertEquals(List.of(), directory.nodes());
  }
}
