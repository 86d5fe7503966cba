package dev.weft.lab.seed002.files;

import dev.weft.hca.node.Node;
import dev.weft.hca.node.VirtualFabric;
import dev.weft.lab.hosts.CpuStats;
import dev.weft.lab.hosts.TcpCosts;
import dev.weft.lab.hosts.VirtualHost;
import dev.weft.pvfs.Errno;
import dev.weft.pvfs.client.ClientSettings;
import dev.weft.pvfs.client.DaemonAddress;
import dev.weft.pvfs.client.DataClient;
import dev.weft.pvfs.client.IoTask;
import dev.weft.pvfs.wire.DaemonOp;
import dev.weft.pvfs.wire.FileAttributes;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** A compute node: one process, which has the client in it and does one access after the other. */
final class ComputeNode {
  private final VirtualFabric fabric;
  private final Node node;
  private final VirtualHost host;
  private final int process;
  private final DataClient client;
  private FileAttributes file;
  private List<Access> accesses = List.of();
  private int next;
  private boolean isBusy;
  private long endNs;

  ComputeNode(VirtualFabric fabric, Node node, List<DaemonAddress> daemons, TcpCosts tcp) {
    this.fabric = fabric;
    this.node = node;
    host = VirtualHost.of(fabric, node.name());
    process = host.addProcess("application");
    host.signals(process); // The library is in the program.
    client = DataClient.charged(fabric, node, "seed002", daemons, ClientSettings.from(fabric.config()).withChecks(false), // The paper's have none.
        new HostCosts(host, null, tcp));
  }

  Node node() {
    return node;
  }

  MemorySegment memory(long bytes) {
    return node.hca().allocMemory(Arena.ofAuto(), bytes);
  }

  void begin(FileAttributes of, List<Access> all) {
    file = of;
    accesses = all;
    next = 0;
    endNs = fabric.system().nowNs();
    goOn();
  }

  private void goOn() {
    isBusy = next < accesses.size();
    if (isBusy) {
      Access access = accesses.get(next++);
      host.compute(process, 0, () -> client.begin(access.isWrite() ? DaemonOp.WRITE : DaemonOp.READ, file.inode(), file.striping(), access.offsets(),
          access.lengths(), new MemorySegment[] {access.memory()}, this::onDone));
    }
  }

  private void onDone(IoTask task) {
    if (task.errno() != Errno.OK) {
      throw new IllegalStateException(node.name() + ": " + "an access" + " ended with " + Errno.name(task.errno()));
    }
    endNs = fabric.system().nowNs() + host.precedingNs();
    goOn();
  }

  /** When the last access of {@link #begin} was over; it may be some nanoseconds ahead. */
  long endNs() {
    return endNs;
  }

  boolean isDone() {
    return !isBusy;
  }

  /** Says good-bye. */
  void end() {
    client.end();
  }

  long busyNs() {
    CpuStats stats = host.stats();
    return stats.interruptNs() + stats.softirqNs() + stats.processNs() + stats.switchNs();
  }
}
