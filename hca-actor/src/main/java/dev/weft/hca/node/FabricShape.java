package dev.weft.hca.node;

/**
 * The arrangement of the switches of a fabric in virtual time.
 *
 * @param hostsPerLeaf hosts on one leaf switch, 1 or more; when the last leaf is full, the fabric adds another
 * @param spines spine switches, each with a trunk to every leaf; 0 for a single switch that takes all hosts
 */
public record FabricShape(int hostsPerLeaf, int spines) {
  /** All nodes on one switch, at most {@code weft.fabric.switch.ports-max}. */
  public static final FabricShape ONE_SWITCH = new FabricShape(Integer.MAX_VALUE, 0);

  public FabricShape {
    if (hostsPerLeaf < 1 || spines < 0) {
      throw new IllegalArgumentException("hostsPerLeaf is " + hostsPerLeaf + ", must be at least 1, and spines " + spines
          + ", must be at least 0");
    }
    if (spines == 0 && hostsPerLeaf != Integer.MAX_VALUE) {
      throw new IllegalArgumentException("leaves without spines are not connected; give at least 1 spine or use ONE_SWITCH");
    }
  }

  /** Returns a tree of two levels: leaves with {@code hostsPerLeaf} hosts each, below {@code spines} spines. */
  public static FabricShape fatTree(int hostsPerLeaf, int spines) {
    return new FabricShape(hostsPerLeaf, spines);
  }

  boolean isOneSwitch() {
    return spines == 0;
  }
}
