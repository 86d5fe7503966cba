package dev.weft.lab.hosts;

import dev.weft.hca.netvm.VmProcessor;

/** The host's part of a transfer of unpinned memory, on processors in virtual time that charge the costs of their hardware profile. */
public final class HostVmProcessor implements VmProcessor {
  private final VirtualHost host;
  private final int daemon;

  /** Adds a page daemon to the processes of {@code host}. */
  public HostVmProcessor(VirtualHost host) {
    this.host = host;
    daemon = host.addProcess("page-daemon");
  }

  @Override
  public void fault(Runnable handler) {
    host.interrupt(() -> {
      host.charge(host.profile().memory().pageFaultNs());
      handler.run();
    });
  }

  @Override
  public void copy(long bytes, Runnable done) {
    if (bytes == 0) {
      done.run();
    } else {
      host.compute(daemon, host.profile().memory().copyNs(bytes), done);
    }
  }

  @Override
  public void unmap(long bytes, Runnable done) {
    host.compute(daemon, host.profile().memory().protectionNs(bytes), done);
  }
}
