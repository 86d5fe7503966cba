package dev.weft.fabric.link;

/** Maps service levels to virtual lanes; the mapping is the same at every end of every cable. */
public final class VirtualLane {
  private VirtualLane() {}

  /** Returns the lane, of {@code virtualLanes} lanes, that carries {@code serviceLevel}, 0 to 15. */
  public static int of(int serviceLevel, int virtualLanes) {
    return (serviceLevel & 0xf) % virtualLanes;
  }
}
