package dev.weft.hca.transport;

/** Where a queue pair stands with the scheduler of the link, which alone writes this. Hardware thread. */
public final class Turn {
  /** It is among those that send. */
  public boolean active;
  /** It is to be among them when what has arrived already is processed. */
  public boolean later;
  /** It waits for a link credit. */
  public boolean stalled;
  /** Answers that it has sent since its own requests had a turn. */
  public int answers;
}
