package dev.weft.fabric.link;

/** Which virtual lane a packet takes; the same mapping at every end of every cable. */
public final class VirtualLane {
  private VirtualLane() {}

  /** Lane, of {@code virtualLanes}, that carries {@code serviceLevel}, 0 to 15. */
  public static int of(int serviceLevel, int virtualLanes) {
    return (serviceLevel & 0xf) % virtualLanes;
  }
}
