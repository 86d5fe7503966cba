package dev.weft.hca.transport;

/** The state of a queue pair in the link scheduler, which alone writes it. Hardware thread. */
public final class Turn {
  /** Whether it is in the list of active queue pairs. */
  public boolean active;
  /** Whether it becomes active after the packets that have already arrived are processed. */
  public boolean later;
  /** Whether it waits for a link credit. */
  public boolean stalled;
  /** The number of responses that it has sent since its own requests had a turn. */
  public int answers;
}
