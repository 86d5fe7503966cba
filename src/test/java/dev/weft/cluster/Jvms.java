package dev.weft.cluster;

import dev.weft.hca.node.ClusterFabric;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.agrona.IoUtil;

/** A cluster of this JVM and peers of it on this host, in a directory of its own; closing it ends the peers and removes everything. */
final class Jvms implements AutoCloseable {
  private final Path directory;
  private final List<Peer> peers = new ArrayList<>();
  private final ClusterFabric fabric;

  Jvms() throws Exception {
    directory = Files.createTempDirectory(Path.of("/dev/shm"), "weft-test-");
    fabric = PeerMain.join(driver(), List.of());
  }

  /** Directory of the media driver of this JVM. */
  Path driver() {
    return directory.resolve("driver");
  }

  ClusterFabric fabric() {
    return fabric;
  }

  /** Starts a peer with this JVM's media driver and waits until it is ready. */
  Peer start(Class<?> main, String node) throws IOException {
    return start(main, driver(), node);
  }

  /** The same with the media driver of a directory beside. */
  Peer startElsewhere(Class<?> main, String driverName, String node) throws IOException {
    return start(main, directory.resolve(driverName), node);
  }

  private Peer start(Class<?> main, Path driver, String node) throws IOException {
    Peer peer = Peer.start(main, driver, fabric.address(), node);
    peers.add(peer);
    return peer;
  }

  /** Peers in the order in which they were started. */
  List<Peer> peers() {
    return peers;
  }

  @Override
  public void close() throws IOException {
    for (Peer peer : peers) {
      peer.close();
    }
    fabric.close();
    IoUtil.delete(directory.toFile(), true);
  }
}
