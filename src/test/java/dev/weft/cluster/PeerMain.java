package dev.weft.cluster;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.weft.fabric.cluster.MediaDriverSettings;
import dev.weft.hca.cm.Connection;
import dev.weft.hca.cm.ConnectionObserver;
import dev.weft.hca.cm.ConnectionOptions;
import dev.weft.hca.cm.RejectReason;
import dev.weft.hca.node.ClusterFabric;
import dev.weft.hca.node.Node;
import dev.weft.hca.node.NodeLink;
import dev.weft.hca.verbs.Access;
import dev.weft.hca.verbs.CompletionQueue;
import dev.weft.hca.verbs.Hca;
import dev.weft.hca.verbs.MemoryRegion;
import dev.weft.hca.verbs.ProtectionDomain;
import dev.weft.hca.verbs.QpInitAttr;
import dev.weft.hca.verbs.QueuePair;
import dev.weft.hca.verbs.ReceiveContext;
import dev.weft.service.process.EndOfProcess;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;

/**
 * A JVM with one node that offers one MiB of registered memory as service {@code memory}; its application thread then waits for the end
 * of its standard input. Arguments: media driver directory, seed, node name.
 */
public final class PeerMain {
  static final int MEMORY_BYTES = 1 << 20;

  private PeerMain() {}

  /** Prints why the fabric was lost, if it is. */
  static ClusterFabric join(Path driver, List<String> seeds) throws Exception {
    return join(driver, seeds, reason -> System.out.println("FAILED " + reason));
  }

  static ClusterFabric join(Path driver, List<String> seeds, Consumer<String> onFailure) throws Exception {
    String parent = System.getenv(Peer.PARENT);
    if (parent != null) {
      EndOfProcess.endWith(Long.parseLong(parent)); // The end of standard input is seen by those only who have come so far as to read it.
    }
    Config config = ConfigFactory.load();
    return ClusterFabric.start(new ClusterFabric.Place("127.0.0.1", 0, seeds, List.of("fabric"),
        MediaDriverSettings.of(config).withDirectory(driver), NodeLink.DIRECT, onFailure), config);
  }

  public static void main(String[] arguments) throws Exception {
    ClusterFabric fabric = join(Path.of(arguments[0]), List.of(arguments[1]));
    Node node = fabric.addNode(arguments[2]);
    Hca hca = node.hca();
    ProtectionDomain pd = hca.allocPd();
    MemorySegment memory = Arena.global().allocate(MEMORY_BYTES, 4096);
    MemoryRegion mr = hca.regMr(pd, memory, Access.ALL);
    CompletionQueue cq = hca.createCq(64, ReceiveContext.POLLING, null);
    node.cm().listen("memory", request -> {
      QueuePair qp = hca.createQp(pd, QpInitAttr.of(cq, 16));
      byte[] where = ByteBuffer.allocate(12).putLong(mr.addr()).putInt(mr.rkey()).array();
      request.accept(qp, ConnectionOptions.DEFAULT, where, new Quiet());
    });
    System.out.println("ready");
    while (System.in.read() >= 0) {
      Thread.onSpinWait();
    }
    fabric.close();
    System.exit(0);
  }

  /** Takes note of nothing. */
  private static final class Quiet implements ConnectionObserver {
    @Override
    public void onEstablished(Connection connection, byte[] privateData) {}

    @Override
    public void onRejected(RejectReason reason, byte[] privateData) {}

    @Override
    public void onDisconnected(Connection connection, boolean nodeLost) {}
  }
}
