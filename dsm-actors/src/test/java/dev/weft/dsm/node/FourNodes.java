package dev.weft.dsm.node;


import com.typesafe.config.ConfigFactory;
import dev.weft.dsm.SharedLongs;
import dev.weft.dsm.SharingUnit;
import dev.weft.fabric.rules.Waits;
import dev.weft.hca.node.LocalFabric;
import java.util.ArrayList;
import java.util.List;

/** Four nodes of a space in one JVM, in real time; node n is the home of the n-th minipage of "words", of ten words each. */
final class FourNodes implements AutoCloseable {
  static final int WORDS = 40;
  static final int NODES = 4;

  final LocalFabric fabric;
  private final List<DsmNode> nodes = new ArrayList<>();

  FourNodes(String engine) {
    this(engine, "fixed");
  }

  FourNodes(String engine, String home) {
    fabric = LocalFabric.start(ConfigFactory.parseString("weft.dsm.memory = 1 MiB\nweft.hca.pin-memory = false\nweft.dsm.engine = " + engine
        + "\nweft.dsm.home = " + home));
    for (int i = 0; i < NODES; i++) {
      nodes.add(DsmNode.join(fabric, fabric.addNode("host-" + i), "test", "host-0"));
    }
  }

  List<DsmNode> nodes() {
    return nodes;
  }

  SharedLongs words(int node) {
    return nodes.get(node).longs("words", WORDS, SharingUnit.bytes(80));
  }

  /** Waits until a node knows of these members only. */
  void assertMembers(int node, List<Integer> left) {
    Waits.seen("the members " + left, () -> nodes.get(node).inspect().members(), left::equals);
  }

  @Override
  public void close() {
    nodes.forEach(DsmNode::close);
    fabric.close();
  }
}
