package dev.weft.dsm.node;

import dev.weft.dsm.access.StackRoom;
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

  /**
   * Tells the protocol something, and waits as {@link #await(BooleanSupplier, long)} does.
   *
   * @param first runs once, at once
   */
  default boolean await(Runnable first, BooleanSupplier until, long maxNs) {
    first.run();
    return await(until, maxNs);
  }

  /**
   * Tells the protocol something that nobody needs to wait for. Where threads can run the protocol themselves, this one does until it is done, or for a
   * moment.
   *
   * @param first runs once, at once
   */
  default void tell(Runnable first, BooleanSupplier done) {
    first.run();
  }

  /** Throws a StackOverflowError if the calling thread lacks the stack for a wait. */
  default void requireRoom() {
    StackRoom.require();
  }

  /** Something that a thread waits for may hold now. Called in the receive context. */
  void changed();
}
