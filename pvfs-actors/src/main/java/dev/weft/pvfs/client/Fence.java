package dev.weft.pvfs.client;

/** Whether what a task does may still be done. Asked on the client's thread before each time that a request of it is sent, the repeated ones too. */
@FunctionalInterface
public interface Fence {
  /** For a task that may be done at any time. */
  Fence NONE = () -> State.OPEN;

  /** Whether a request may be sent. */
  enum State {
    OPEN,
    /** That will show: the request waits, as for a daemon that cannot be reached. */
    UNSURE,
    /** No more: the task ends with EIO. */
    SHUT
  }

  State state();
}
