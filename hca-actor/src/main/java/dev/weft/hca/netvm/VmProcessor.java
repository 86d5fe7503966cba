package dev.weft.hca.netvm;

import dev.weft.fabric.host.VirtualHost;

/** Runs the host's part of a transfer and charges for it. */
public interface VmProcessor {
  /** Interrupts the host because of an absent page; {@code handler} handles the fault. */
  void fault(Runnable handler);

  /** Charges the host for copying bytes from the HCA's buffer to a page; {@code done} copies them. */
  void copy(long bytes, Runnable done);

  /** Charges the host for removing whole pages of {@code bytes} bytes from its page tables, then runs {@code done}. */
  void unmap(long bytes, Runnable done);

  /** Real time: the caller does the work at once, and it takes the time that it takes. */
  VmProcessor DIRECT = new VmProcessor() {
    @Override
    public void fault(Runnable handler) {
      handler.run();
    }

    @Override
    public void copy(long bytes, Runnable done) {
      done.run();
    }

    @Override
    public void unmap(long bytes, Runnable done) {
      done.run();
    }
  };

  /** Returns the processors of {@code host} in virtual time, which charge the costs of its hardware profile. */
  static VmProcessor of(VirtualHost host) {
    int daemon = host.addProcess("page-daemon");
    return new VmProcessor() {
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
    };
  }
}
