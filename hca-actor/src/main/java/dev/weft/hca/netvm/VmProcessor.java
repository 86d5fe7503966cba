package dev.weft.hca.netvm;

import dev.weft.fabric.host.VirtualHost;

/** Who does the host's share of a transfer, and at what price. */
public interface VmProcessor {
  /** The HCA interrupts the host for an absent page; {@code handler} looks after it. */
  void fault(Runnable handler);

  /** The host copies that many bytes from the HCA's buffer to a page; {@code done} does it. */
  void copy(long bytes, Runnable done);

  /** The host takes that many bytes of whole pages out of its page tables; {@code done} follows. */
  void unmap(long bytes, Runnable done);

  /** Real time: whoever asks does it at once, and the machine charges. */
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

  /** Virtual time: the processors of {@code host}, for what its hardware profile says. */
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
