package dev.weft.dsm.objects;

import dev.weft.dsm.access.StackRoom;
import java.util.function.BooleanSupplier;

/** How application threads wait: in real time they run the hardware meanwhile; in virtual time they use the baton. */
public interface WaitStrategy {
  /**
   * Waits. Called by application threads.
   *
   * @param until cheap and without side effects; called on several threads
   * @param maxNs longest wait in nanoseconds
   * @return whether {@code until} holds
   * @throws IllegalStateException if this thread was interrupted, or the fabric was closed, and {@code until} does not hold
   */
  boolean await(BooleanSupplier until, long maxNs);

  /**
   * Sends the protocol a command, and waits as {@link #await(BooleanSupplier, long)} does.
   *
   * @param first runs once, at once
   */
  default boolean await(Runnable first, BooleanSupplier until, long maxNs) {
    first.run();
    return await(until, maxNs);
  }

  /**
   * Sends the protocol a command that no thread needs to wait for. If threads can run the protocol themselves, this thread does so until the command
   * is done, or for a moment.
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

  /** A condition that a thread waits for may hold now. Called in the receive context. */
  void changed();
}
