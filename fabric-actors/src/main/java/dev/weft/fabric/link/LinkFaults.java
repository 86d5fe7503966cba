package dev.weft.fabric.link;

/**
 * Faults of a simulated cable, each as a probability per packet from 0 to 1.
 *
 * @param loss the packet does not arrive
 * @param duplication the packet arrives twice; only while the link has a buffer in reserve, see {@link SimulatedLink}
 * @param reordering the packet arrives up to {@code reorderDelayMaxNs} later, behind others
 * @param corruption bits of the packet's wire form are flipped; it arrives only if its checks accept it
 * @param reorderDelayMaxNs longest extra delay in nanoseconds, 1 or more if {@code reordering} is not 0
 */
public record LinkFaults(
    double loss, double duplication, double reordering, double corruption, long reorderDelayMaxNs) {
  public static final LinkFaults NONE = new LinkFaults(0, 0, 0, 0, 0);

  public LinkFaults {
    check("loss", loss);
    check("duplication", duplication);
    check("reordering", reordering);
    check("corruption", corruption);
    if (reorderDelayMaxNs < 0 || (reordering > 0 && reorderDelayMaxNs == 0)) {
      throw new IllegalArgumentException("reorderDelayMaxNs is " + reorderDelayMaxNs
          + "; it must not be negative, and at least 1 where packets are reordered");
    }
  }

  private static void check(String name, double probability) {
    if (!(probability >= 0 && probability <= 1)) {
      throw new IllegalArgumentException(name + " is " + probability + ", must be from 0 to 1");
    }
  }
}
