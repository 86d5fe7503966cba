package dev.weft.hca.sync;

/** Told how an operation ended. */
@FunctionalInterface
public interface Ended {
  /** {@code done} is false if the home is gone. */
  void ended(boolean done);
}
