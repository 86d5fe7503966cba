package dev.weft.dsm.node;

import java.util.function.BooleanSupplier;

/** How threads of the application wait: lending themselves to the hardware in real time, by the baton in virtual time. */
public interface ThreadWaits {
  /**
   * Waits. Called by threads of the application.
   *
   * @param until cheap and without effects; read on several threads
   * @param maxNs longest, in nanoseconds
   * @return whether {@code until} holds
   * @throws IllegalStateException if this thread was interrupted, or the fabric was closed, and it does not hold
   */
  boolean await(BooleanSupplier until, long maxNs);

  /** Something that a thread waits for may hold now. Called in the receive context. */
  void changed();
}
