package dev.weft.dsm.sharing;

import java.util.List;

/**
 * What the home at one node has counted.
 *
 * @param arrays those of which it is home of a part, by number; what they count is of this part
 * @param worst minipages with the most ping-pongs and invalidations, the worst first
 * @param counted minipages that are counted one by one
 * @param uncounted requests for minipages that are not, because there are too many
 */
public record SharingReport(List<OfArray> arrays, List<OfMinipage> worst, int counted, long uncounted) {
  public SharingReport {
    arrays = List.copyOf(arrays);
    worst = List.copyOf(worst);
  }

  /**
   * An array.
   *
   * @param name what programs call it
   * @param shape elements and minipages
   * @param site where a program made it; empty if that is not known
   * @param strideBytes of a minipage
   * @param readFaults requests of nodes that wanted to read
   * @param writeFaults requests of nodes that wanted to write
   * @param invalidations copies that writes of other nodes took away
   * @param pingPongs how often a node got back what the write of another one had taken from it
   * @param bytesMoved data that was sent for it
   * @param falselyShared minipages whose nodes want different words
   * @param unit sharing unit that would keep the nodes of all of these apart, in bytes; 0 if there are none, or no unit does
   * @param taken who took minipages from whom, the most first
   */
  public record OfArray(String name, String shape, String site, long strideBytes, long readFaults, long writeFaults, long invalidations, long pingPongs,
      long bytesMoved, int falselyShared, long unit, List<Pair> taken) {}

  /** How often {@code by} took a minipage from {@code from}. */
  public record Pair(int by, int from, long times) {}

  /**
   * A minipage.
   *
   * @param array name of its array
   * @param index among the array's
   * @param firstElement that it has
   * @param lastElement that it has
   * @param sharing {@code none}, {@code false}, {@code true} or {@code mixed}
   * @param unit sharing unit that would keep its nodes apart, in bytes; 0 if it needs none or none is known
   * @param sharedFaults faults for words that another node had to do with, too
   * @param apartFaults faults for words that no other node had touched
   * @param nodes which elements the faults of each node wanted
   * @param recent who took it from whom, the last first
   */
  public record OfMinipage(String array, int index, long firstElement, long lastElement, long readFaults, long writeFaults, long invalidations,
      long pingPongs, long bytesMoved, String sharing, long unit, long sharedFaults, long apartFaults, List<Touched> nodes, List<Pair> recent) {}

  /** Elements that the faults of a node wanted lately, from the first to the last. */
  public record Touched(int node, long firstElement, long lastElement, boolean writes) {}
}
