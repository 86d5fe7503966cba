package dev.weft.lab.repro;

/**
 * How large a run is, for experiments whose size is not a paper's.
 *
 * @param hosts hosts of the simulated cluster, 2 to 10,000
 * @param messages messages that they exchange together, at least one for each host
 */
public record Size(int hosts, long messages) {
  /** What issue 3 asks for. */
  public static final Size DEFAULT = new Size(1_000, 1_000_000);

  public Size {
    if (hosts < 2 || hosts > 10_000) {
      throw new IllegalArgumentException("--hosts is " + hosts + ", must be from 2 to 10000");
    }
    if (messages < hosts || messages > Integer.MAX_VALUE) {
      throw new IllegalArgumentException("--messages is " + messages + ", must be from " + hosts + " (the hosts) to 2147483647");
    }
  }
}
