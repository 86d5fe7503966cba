package dev.weft.lab.sim.pvfs;

import dev.weft.hca.node.VirtualFabric;
import dev.weft.hca.verbs.HcaSnapshot;
import dev.weft.lab.kit.Violations;
import dev.weft.pvfs.client.ClientSnapshot;
import dev.weft.pvfs.daemon.DaemonSnapshot;
import dev.weft.pvfs.manager.ManagerSnapshot;
import java.util.List;
import java.util.Set;

/** Checks a file system when all programs have ended: first its content, then that all resources are freed. */
final class PvfsAudit {
  /** Longer than the time in which a node notices that another one is gone, 17.2 s, and reaches it again. */
  private static final long SETTLE_NS = 25_000_000_000L;

  private final PvfsRun run;
  private final VirtualFabric fabric;
  private final Violations violations;

  PvfsAudit(PvfsRun run, VirtualFabric fabric) {
    this.run = run;
    this.fabric = fabric;
    this.violations = run.violations();
  }

  void run() {
    fabric.system().runFor(SETTLE_NS);
    living().forEach(this::checkClient);
    boolean hasCutOff = servers().stream().map(this::checkIdle).anyMatch(daemon -> daemon != null && daemon.cutOff() > 0);
    PvfsAuditor auditor = run.auditor("auditor");
    run.files().shared().forEach(auditor::look);
    for (int directory = 0; directory < 2; directory++) {
      Set<String> names = auditor.list(run.directory(directory));
      NameHistory.Op op = run.names().begin(OpKind.LIST, directory + "/", null, 0, 0, run.tick());
      run.names().end(op, 0, 0, names, run.tick(), violations);
    }
    if (!hasCutOff) {
      run.files().suspicions().forEach(violations::add);
    }
    if (!violations.isEmpty()) {
      return;
    }
    checkManager(living().size() + 1);
    leave();
    if (run.forger() != null) {
      run.forger().close();
    }
    removeAll(auditor);
    auditor.close();
    fabric.system().runFor(Math.max(SETTLE_NS, 2 * fabric.config().getDuration("weft.pvfs.manager.grace").toNanos())); // A manager may wait this long.
    checkManager(0);
    servers().forEach(this::checkDaemon);
  }

  private List<PvfsHost> living() {
    return run.hosts().stream().filter(host -> host.data != null && !host.isDown).toList();
  }

  private List<PvfsHost> servers() {
    return run.hosts().stream().filter(host -> host.daemon != null).toList();
  }

  private void checkClient(PvfsHost host) {
    ClientSnapshot client = run.ask(host.data::inspect);
    if (client == null) {
      violations.add(host.name + " does not say how it is");
      return;
    }
    run.marks().count(client);
    int granted = Math.min(fabric.config().getInt("weft.pvfs.client.credits"), fabric.config().getInt("weft.pvfs.daemon.credits"));
    boolean isWhole = client.daemons().stream().allMatch(daemon -> daemon.isUp() && daemon.credits() == granted && daemon.waiting() == 0 && daemon.sent() == 0);
    if (!isWhole || client.tasks() != 0 || client.registrations() != 0) {
      violations.add(host.name + " has something left, or lacks some of " + granted + " credits: " + client);
    }
    if (client.badReads() + client.badWrites() > 0) { // Damaged packets do not arrive.
      violations.add(host.name + " had data that changed between checksum and transfer: " + client);
    }
  }

  private void checkManager(int sessions) {
    ManagerSnapshot manager = run.ask(run.hosts().getFirst().manager::inspect);
    if (manager != null && (sessions == 0 || run.errors().lockDoubts() == 0) && (manager.locks() != 0 || manager.lockWaiters() != 0)) {
      violations.add("locks are left, or waited for, of programs that have given back all: " + manager);
    }
    if (manager == null || manager.sessions() != sessions || manager.connected() != sessions) {
      violations.add("the manager has other sessions than those of " + sessions + " clients: " + manager);
    }
  }

  /** Lets the clients leave. */
  private void leave() {
    for (PvfsHost host : living()) {
      host.isDown = true; // Its program has ended.
      host.data.close();
      host.meta.close();
      fabric.system().runFor(1_000_000);
      HcaSnapshot hca = host.node.hca().inspect();
      if (!hca.queuePairs().isEmpty() || !hca.memoryRegions().isEmpty()) {
        violations.add(host.name + " has left, and its HCA has still " + hca.queuePairs() + " " + hca.memoryRegions());
      }
    }
  }

  private void removeAll(PvfsAuditor auditor) {
    for (int directory = 0; directory < 2; directory++) {
      for (String name : auditor.list(run.directory(directory))) {
        auditor.remove(run.directory(directory), name);
      }
    }
    for (String name : auditor.list(1)) {
      auditor.remove(1, name);
    }
  }

  private DaemonSnapshot checkIdle(PvfsHost host) {
    DaemonSnapshot daemon = run.ask(host.daemon::inspect);
    if (daemon == null) {
      violations.add(host.name + " does not say how it is");
    } else if (daemon.disk() != null && (daemon.disk().zonesUsed() != 0 || daemon.disk().queue() != 0)) {
      violations.add(host.name + ", of which nobody wants anything, has buffers or jobs for its disk: " + daemon);
    } else if (daemon.disk() != null && daemon.disk().checksumErrors() != 0) {
      violations.add(host.name + " takes blocks for damaged, though its disk has damaged none that was synced: " + daemon);
    } else if (daemon.moving() != 0 || daemon.starving() != 0 || daemon.clients().stream().anyMatch(client -> client.underWay() != 0)) {
      violations.add(host.name + ", of which nobody wants anything, has something under way: " + daemon);
    } else if (daemon.badWrites() > 0) {
      violations.add(host.name + " got data that changed between checksum and transfer: " + daemon);
    }
    return daemon;
  }

  private void checkDaemon(PvfsHost host) {
    DaemonSnapshot daemon = checkIdle(host);
    if (daemon == null) {
      return;
    }
    if (daemon.clients().size() != 1) {
      violations.add(host.name + ", which only the manager uses, has other clients: " + daemon);
    }
    int strays = host.disk == null ? 0 : host.disk.strays();
    long strayBytes = host.disk == null ? 0 : host.disk.strayBytes();
    // An idle daemon still reports the free space of its disk at its start.
    long takenBytes = host.disk == null ? daemon.memoryBytes() - daemon.freeBytes() : host.disk.takenBytes();
    if (daemon.objects() != strays || takenBytes != strayBytes) {
      violations.add(host.name + " has not given back the memory of files that are gone: " + daemon);
    }
  }
}
