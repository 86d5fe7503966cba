package dev.weft.lab.seed001;

/** Where a machine swaps to. */
public enum Backing {
  /** Enough local memory; no swapping. */
  LOCAL("local memory"),
  /** The pager of this project over the simulated fabric. */
  HPBD("HPBD"),
  /** NBD over TCP over InfiniBand. */
  NBD_IPOIB("NBD over IPoIB"),
  /** NBD over TCP over Gigabit Ethernet. */
  NBD_GIGE("NBD over GigE"),
  DISK("local disk");

  private final String label;

  Backing(String label) {
    this.label = label;
  }

  /** As shown in reports. */
  public String label() {
    return label;
  }
}
