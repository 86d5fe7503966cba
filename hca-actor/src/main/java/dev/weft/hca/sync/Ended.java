package dev.weft.hca.sync;

/** Called when an operation has ended. */
@FunctionalInterface
public interface Ended {
  /** {@code done} is false if the home has been lost. */
  void ended(boolean done);
}
