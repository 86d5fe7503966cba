package dev.weft.pvfs.client;

/** Says whether a task may still proceed. The client's thread asks before it sends a request of the task, also before each repetition. */
@FunctionalInterface
public interface Fence {
  /** For a task that may always proceed. */
  Fence NONE = () -> State.OPEN;

  /** Whether a request may be sent. */
  enum State {
    OPEN,
    /** Not known yet: the request waits, as for an unreachable daemon. */
    UNSURE,
    /** Never again: the task ends with EIO. */
    SHUT
  }

  State state();
}
