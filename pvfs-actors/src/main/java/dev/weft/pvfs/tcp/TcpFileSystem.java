package dev.weft.pvfs.tcp;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.weft.fabric.admission.FabricSecret;
import dev.weft.hca.node.LocalFabric;
import dev.weft.hca.node.Node;
import dev.weft.pvfs.files.PvfsFileSystem;
import dev.weft.pvfs.wire.Caller;
import java.io.IOException;
import java.net.InetSocketAddress;

/**
 * A file system that is reached from outside its fabric. This process has a small fabric with one node, unreachable for others, which gives the
 * client threads and a clock. Any thread.
 */
public final class TcpFileSystem implements AutoCloseable {
  /** Settings of a fabric that has only TCP clients: a thread that waits for a socket sleeps, since nothing needs polling. */
  public static final Config OF_CLIENTS = ConfigFactory.parseString(
      "weft.hardware-dispatcher.duty-cycle { spin-cycles = 0, yield-cycles = 0 }\nweft.hca.pin-memory = false");

  private final LocalFabric fabric;
  private final TcpTransport transport;
  private final PvfsFileSystem files;

  private TcpFileSystem(LocalFabric fabric, TcpTransport transport, PvfsFileSystem files) {
    this.fabric = fabric;
    this.transport = transport;
    this.files = files;
  }

  /**
   * Connects, and waits until the manager has answered.
   *
   * @param listener address of the JVM with the manager
   * @param caller the user on whose behalf the client acts
   * @param overrides settings over the usual configuration
   * @throws IOException at once, if nothing listens there or the secret differs; or a PvfsException, ETIMEDOUT after
   *     {@code weft.pvfs.client.patience}; the message says why
   */
  public static TcpFileSystem connect(InetSocketAddress listener, FabricSecret secret, Caller caller, Config overrides) throws IOException {
    return connect(listener, secret, PvfsFileSystem.MANAGER_NODE, caller, overrides);
  }

  /** As above; {@code managerNode} is the node of the manager. */
  public static TcpFileSystem connect(InetSocketAddress listener, FabricSecret secret, String managerNode, Caller caller, Config overrides)
      throws IOException {
    LocalFabric fabric = LocalFabric.start(OF_CLIENTS.withFallback(overrides));
    TcpTransport transport = null;
    try {
      transport = new TcpTransport(listener, secret, TcpSettings.from(fabric.config()));
      transport.check();
      Node node = fabric.addNode("outside");
      return new TcpFileSystem(fabric, transport, PvfsFileSystem.connect(fabric, node, "tcp", managerNode, caller, fabric.config(), transport));
    } catch (IOException | RuntimeException | Error failed) {
      fabric.close();
      if (transport != null) {
        transport.close();
      }
      throw failed;
    }
  }

  public PvfsFileSystem files() {
    return files;
  }

  /** The fabric of this process, for code that asks actors. */
  public LocalFabric fabric() {
    return fabric;
  }

  /** Ends the session, the connections and the threads. */
  @Override
  public void close() {
    files.close();
    fabric.close();
    transport.close();
  }
}
