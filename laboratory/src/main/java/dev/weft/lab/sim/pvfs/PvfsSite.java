package dev.weft.lab.sim.pvfs;

import dev.weft.fabric.time.VirtualSystem;
import dev.weft.hca.node.Node;
import dev.weft.hca.node.RoleContext;
import dev.weft.hca.node.VirtualFabric;
import dev.weft.pvfs.client.ClientSettings;
import dev.weft.pvfs.client.DaemonAddress;
import dev.weft.pvfs.client.DataClient;
import dev.weft.pvfs.daemon.DaemonSettings;
import dev.weft.pvfs.daemon.IoDaemon;
import dev.weft.pvfs.files.PvfsFileSystem;
import dev.weft.pvfs.manager.Capabilities;
import dev.weft.pvfs.manager.FileSystemLabel;
import dev.weft.pvfs.manager.Manager;
import dev.weft.pvfs.meta.MetaClient;
import dev.weft.pvfs.store.MemoryDisk;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;

/**
 * The common parts of the roles of a simulated file system: its label, its addresses, a clock, and the manager's disk. Node 0 is the manager's; then
 * come those of the daemons, then those of the clients.
 */
final class PvfsSite {
  private static final String DAEMON_SERVICE = "pvfs-io";
  private static final long EPOCH_NS = 1_700_000_000_000_000_000L;

  private final VirtualFabric fabric;
  private final VirtualSystem system;
  private final List<DaemonAddress> daemons;
  private final FileSystemLabel label;
  private final MemoryDisk disk = new MemoryDisk("disk");

  PvfsSite(VirtualFabric fabric, long seed, int daemons) {
    this.fabric = fabric;
    this.system = fabric.system();
    this.daemons = IntStream.range(0, daemons).mapToObj(i -> new DaemonAddress("d" + i, DAEMON_SERVICE)).toList();
    label = new FileSystemLabel(String.format(Locale.ROOT, "%032x", seed), daemons, ByteBuffer.allocate(32).putLong(seed).array());
  }

  String nodeName(int index) {
    return index == 0 ? "m" : index <= daemons.size() ? "d" + (index - 1) : "c" + clientOf(index);
  }

  /** Number of the client on a node. */
  int clientOf(int index) {
    return index - 1 - daemons.size();
  }

  boolean isServer(PvfsHost host) {
    return host.index <= daemons.size();
  }

  boolean isDaemon(PvfsHost host) {
    return host.index > 0 && isServer(host);
  }

  void startManager(PvfsHost host) {
    host.manager = Manager.on(disk, fabric, host.node, PvfsFileSystem.MANAGER_SERVICE, fabric.config(), daemons, label, this::wallNs);
  }

  /** Starts a daemon with stripes in memory. */
  void startDaemon(PvfsHost host) {
    host.daemon = IoDaemon.start(host.node, DAEMON_SERVICE, DaemonSettings.from(fabric.config()), label.key(), this::wallNs);
  }

  /** Starts a daemon with stripes on the host's disk, and with file access managers in {@code context}. */
  void startDaemon(PvfsHost host, RoleContext context) {
    host.daemon = IoDaemon.simulated(host.node, DAEMON_SERVICE, DaemonSettings.from(fabric.config()), host.disk.attach(), host.disk.starts(), context,
        label.key(), this::wallNs);
  }

  MetaClient metaClient(Node node) {
    return MetaClient.simulated(fabric, node, "sim", managerAddress(), fabric.config());
  }

  /** A client that gets its capabilities from the manager. */
  DataClient dataClient(Node node, MetaClient meta) {
    return DataClient.start(fabric, node, "sim", daemons, ClientSettings.from(fabric.config()), meta.grants());
  }

  /** A client that makes its own capabilities. */
  DataClient auditor(Node node) {
    return DataClient.start(fabric, node, "audit", daemons, ClientSettings.from(fabric.config()), new Capabilities(label, this::wallNs));
  }

  DaemonAddress managerAddress() {
    return new DaemonAddress("m", PvfsFileSystem.MANAGER_SERVICE);
  }

  List<DaemonAddress> daemons() {
    return daemons;
  }

  /** The key that signs capabilities. */
  byte[] key() {
    return label.key();
  }

  MemoryDisk managerDisk() {
    return disk;
  }

  /** Nanoseconds since 1970, on the common clock of the manager and the daemons. */
  long wallNs() {
    return EPOCH_NS + system.nowNs();
  }
}
