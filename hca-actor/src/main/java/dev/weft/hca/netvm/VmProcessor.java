package dev.weft.hca.netvm;

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
}
