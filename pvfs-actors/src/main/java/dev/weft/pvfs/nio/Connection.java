package dev.weft.pvfs.nio;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.weft.hca.node.ClusterFabric;
import dev.weft.hca.node.Fabric;
import dev.weft.hca.node.Node;
import dev.weft.pvfs.files.PvfsFileSystem;
import dev.weft.pvfs.wire.Caller;
import dev.weft.service.CommandFailure;
import dev.weft.service.access.FabricAccess;
import java.io.IOException;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A connection to a file system, with the action that ends it. There are three kinds. With {@code files}, the program has a connection, which stays
 * open. With {@code fabric} and {@code node}, this connects on the program's fabric. With neither, this JVM joins the fabric of
 * {@link FabricAccess#open()} while the file system is open.
 */
record Connection(PvfsFileSystem files, Runnable end) {
  static final String FILES = "files";
  static final String FABRIC = "fabric";
  static final String NODE = "node";
  static final String MANAGER = "manager";
  static final String CALLER = "caller";
  static final String WATCH_INTERVAL = "watchInterval";
  private static final Set<String> KEYS = Set.of(FILES, FABRIC, NODE, MANAGER, CALLER, WATCH_INTERVAL);
  private static final AtomicInteger NUMBERS = new AtomicInteger();

  /** @throws IllegalArgumentException if a value is missing or of a wrong type, or if a key is unknown */
  static Connection of(Map<String, ?> environment) throws IOException {
    for (String key : environment.keySet()) {
      if (!KEYS.contains(key)) {
        throw new IllegalArgumentException("'" + key + "' of the environment; there are " + KEYS.stream().sorted().toList());
      }
    }
    PvfsFileSystem files = value(environment, FILES, PvfsFileSystem.class, null);
    if (files != null) {
      return new Connection(files, () -> { });
    }
    Caller caller = value(environment, CALLER, Caller.class, Caller.ROOT);
    String manager = value(environment, MANAGER, String.class, PvfsFileSystem.MANAGER_NODE);
    Fabric fabric = value(environment, FABRIC, Fabric.class, null);
    if (fabric == null) {
      return joined(manager, caller);
    }
    Node node = value(environment, NODE, Node.class, null);
    if (node == null) {
      throw new IllegalArgumentException("'" + FABRIC + "' without '" + NODE + "' in the environment, which must name the node that uses the files");
    }
    PvfsFileSystem connected = PvfsFileSystem.connect(fabric, node, "nio-" + NUMBERS.incrementAndGet(), manager, caller, fabric.config());
    return new Connection(connected, connected::close);
  }

  static <T> T value(Map<String, ?> environment, String key, Class<T> type, T otherwise) {
    Object value = environment.get(key);
    if (value != null && !type.isInstance(value)) {
      throw new IllegalArgumentException("'" + key + "' of the environment is a " + value.getClass().getName() + ", must be a " + type.getName());
    }
    return value == null ? otherwise : type.cast(value);
  }

  private static Connection joined(String manager, Caller caller) throws IOException {
    Config config = ConfigFactory.load();
    ClusterFabric fabric;
    try {
      fabric = FabricAccess.open();
    } catch (CommandFailure none) {
      throw new IOException(none.getMessage() + ", or give a '" + FABRIC + "' and a '" + NODE + "' in the environment", none);
    }
    try {
      Node node = fabric.addNode("pvfs-nio-" + ProcessHandle.current().pid() + "-" + NUMBERS.incrementAndGet());
      PvfsFileSystem connected = PvfsFileSystem.connect(fabric, node, "nio", manager, caller, config);
      return new Connection(connected, () -> {
        try {
          connected.close();
        } finally {
          fabric.close();
        }
      });
    } catch (IOException | RuntimeException | Error failed) {
      fabric.close();
      throw failed;
    }
  }

  void close() {
    end.run();
  }
}
