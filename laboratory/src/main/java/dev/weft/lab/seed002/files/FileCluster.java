package dev.weft.lab.seed002.files;

import com.typesafe.config.Config;
import dev.weft.fabric.link.LinkFaults;
import dev.weft.hca.node.Node;
import dev.weft.hca.node.RoleContext;
import dev.weft.hca.node.VirtualFabric;
import dev.weft.lab.hosts.HardwareProfile;
import dev.weft.lab.hosts.TcpCosts;
import dev.weft.lab.hosts.VirtualHost;
import dev.weft.pvfs.Errno;
import dev.weft.pvfs.client.DaemonAddress;
import dev.weft.pvfs.daemon.DaemonSettings;
import dev.weft.pvfs.daemon.IoDaemon;
import dev.weft.pvfs.files.PvfsFileSystem;
import dev.weft.pvfs.manager.FileSystemLabel;
import dev.weft.pvfs.manager.Manager;
import dev.weft.pvfs.meta.MetaClient;
import dev.weft.pvfs.store.MemoryDisk;
import dev.weft.pvfs.wire.Caller;
import dev.weft.pvfs.wire.FileAttributes;
import dev.weft.pvfs.wire.MetaOp;
import dev.weft.pvfs.wire.MetaReply;
import dev.weft.pvfs.wire.MetaRequest;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The paper's testbed with a file system on it: a manager, I/O nodes and compute nodes, one file. Same profile, seed and setup: same times. */
final class FileCluster implements AutoCloseable {
  private static final String DAEMON_SERVICE = "pvfs-io";
  private static final String TCP_PATH = "ibnice";
  private static final long PATIENCE_NS = 600_000_000_000L;
  /** In which nothing happens, so that what is left from before is over. */
  private static final long QUIET_NS = 5_000_000;
  private static final long ROOT_DIRECTORY = 1;

  private final VirtualFabric fabric;
  private final List<ComputeNode> compute = new ArrayList<>();
  private final Manager manager;
  private final FileAttributes file;

  FileCluster(HardwareProfile profile, long seed, Setup setup) {
    fabric = new VirtualFabric(seed, profile, LinkFaults.NONE, setup.config());
    Config config = fabric.config();
    TcpCosts tcp = setup.transport() == Transport.TCP ? TcpCosts.of(profile.name(), TCP_PATH) : null;
    RoleContext files = RoleContext.of("weft.pvfs.daemon", config.getConfig("weft.pvfs.daemon")); // A daemon is one thread (section 5.2).
    List<DaemonAddress> daemons = new ArrayList<>();
    for (int i = 0; i < setup.ioNodes(); i++) {
      Node node = fabric.addNode("io" + i);
      IoDaemon.simulated(node, DAEMON_SERVICE, DaemonSettings.from(config), files, new HostCosts(VirtualHost.of(fabric, node.name()), setup.files(), tcp));
      daemons.add(new DaemonAddress(node.name(), DAEMON_SERVICE));
    }
    Node managerNode = fabric.addNode("manager");
    FileSystemLabel label = new FileSystemLabel(String.format(Locale.ROOT, "%032x", seed), daemons.size(), ByteBuffer.allocate(32).putLong(seed).array());
    manager = Manager.on(new MemoryDisk("metadata"), fabric, managerNode, PvfsFileSystem.MANAGER_SERVICE, config, daemons, label, fabric.system()::nowNs);
    for (int i = 0; i < setup.computeNodes(); i++) {
      compute.add(new ComputeNode(fabric, fabric.addNode("compute" + i), daemons, tcp));
    }
    file = create(managerNode, setup.ioNodes());
  }

  private FileAttributes create(Node node, int ioNodes) {
    try (MetaClient client = MetaClient.start(fabric, node, "maker", new DaemonAddress("manager", PvfsFileSystem.MANAGER_SERVICE), fabric.config())) {
      MetaReply[] made = new MetaReply[1];
      MetaRequest create = MetaRequest.of(MetaOp.CREATE, Caller.ROOT, ROOT_DIRECTORY, 0666, 1, 0, ioNodes, Setup.STRIPE_BYTES, 0).named("file");
      client.tryAsk(create, reply -> made[0] = reply);
      if (!fabric.system().runUntil(() -> made[0] != null, PATIENCE_NS) || made[0].errno() != Errno.OK) {
        throw new IllegalStateException("the file was not made: " + (made[0] == null ? "no answer" : Errno.name(made[0].errno())));
      }
      return made[0].attributes();
    }
  }

  List<ComputeNode> compute() {
    return compute;
  }

  /** All compute nodes begin together, each with its accesses, which it does one after the other. */
  Took run(List<List<Access>> accesses) {
    fabric.system().runFor(QUIET_NS);
    long startNs = fabric.system().nowNs();
    long busyNs = compute.stream().mapToLong(ComputeNode::busyNs).sum();
    for (int i = 0; i < compute.size(); i++) {
      compute.get(i).begin(file, accesses.get(i));
    }
    if (!fabric.system().runUntil(() -> compute.stream().allMatch(ComputeNode::isDone), PATIENCE_NS)) {
      throw new IllegalStateException("the programs do not end");
    }
    long endNs = compute.stream().mapToLong(ComputeNode::endNs).max().orElseThrow();
    fabric.system().runFor(QUIET_NS);
    long bytes = accesses.stream().flatMap(List::stream).mapToLong(access -> access.memory().byteSize()).sum();
    return new Took(bytes, endNs - startNs, compute.stream().mapToLong(ComputeNode::busyNs).sum() - busyNs, compute.size());
  }

  @Override
  public void close() {
    compute.forEach(ComputeNode::end);
    manager.stop();
    fabric.system().runFor(QUIET_NS);
    fabric.close();
  }
}
