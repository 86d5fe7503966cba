package dev.weft.hca.link;

/** Bugs to be planted in links; each method has the parameters of the call that it replaces. */
public final class PlantedBugs {
  private PlantedBugs() {}

  /** Instead of {@code drop} in {@code lose}: a service that was given up may still write to buffers. */
  static void keepConnection(Link link) {}
}
