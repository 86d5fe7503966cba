package dev.weft.lab.seed002.files;

import dev.weft.hca.registration.Registrar;
import dev.weft.lab.hosts.ChargingRegistrar;
import dev.weft.lab.hosts.MemoryCosts;
import dev.weft.lab.hosts.TcpCosts;
import dev.weft.lab.hosts.VirtualHost;
import dev.weft.pvfs.Costs;

/** Charges a host of a hardware profile for what a client or an I/O daemon on it does. */
final class HostCosts implements Costs {
  private final VirtualHost host;
  private final MemoryCosts memory;
  private final Files files;
  /** Null where data goes by verbs. */
  private final TcpCosts tcp;

  /** @param files of a daemon; null on a client's host */
  HostCosts(VirtualHost host, Files files, TcpCosts tcp) {
    this.host = host;
    this.memory = host.profile().memory();
    this.files = files;
    this.tcp = tcp;
  }

  /** What is done before the roles run, and after, is not measured. */
  private void charge(long ns) {
    if (host.isRunning()) {
      host.chargeBefore(ns);
    }
  }

  @Override
  public void copies(long bytes) {
    if (tcp == null) { // Which has a copy of its own.
      charge(memory.copyNs(bytes));
    }
  }

  @Override
  public void sends(long bytes) {
    if (tcp != null) {
      charge(tcp.sendNs() + tcp.segmentsNs(bytes, memory));
    }
  }

  /** The interrupt, and waking the process, are what its receive context costs. */
  @Override
  public void receives(long bytes) {
    if (tcp != null) {
      charge(tcp.segmentsNs(bytes, memory));
    }
  }

  /** The thread that has the file access manager waits for its file system: "all file operations are blocking" (seed 002 section 5.2). */
  @Override
  public long fileNs(boolean isWrite, long bytes) {
    long ns = files.ns(isWrite, bytes);
    charge(ns);
    return ns;
  }

  @Override
  public Registrar registrar(Registrar registrar) {
    return new ChargingRegistrar(registrar, memory, this::charge);
  }
}
