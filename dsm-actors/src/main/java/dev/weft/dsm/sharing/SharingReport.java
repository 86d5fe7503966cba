package dev.weft.dsm.sharing;

import java.util.List;

/**
 * The counters of one home.
 *
 * @param arrays counters of the home's part of each array, by number of the array
 * @param worst minipages with the most ping-pongs and invalidations, the worst first
 * @param counted minipages that are counted one by one
 * @param uncounted requests for minipages that are not counted, because there are too many
 */
public record SharingReport(List<OfArray> arrays, List<OfMinipage> worst, int counted, long uncounted) {
  public SharingReport {
    arrays = List.copyOf(arrays);
    worst = List.copyOf(worst);
  }

  /**
   * An array.
   *
   * @param name its name in programs
   * @param shape elements and minipages
   * @param site place in the program that made it; empty if unknown
   * @param strideBytes bytes of a minipage
   * @param readFaults requests of nodes that wanted to read
   * @param writeFaults requests of nodes that wanted to write
   * @param invalidations copies that writes of other nodes took away
   * @param pingPongs how often a node got back a minipage that the write of another one had taken from it
   * @param bytesMoved bytes of data that were sent for it
   * @param falselyShared minipages whose nodes want different words
   * @param unit sharing unit in bytes that would keep the nodes of all of these apart; 0 if there are none, or no unit does
   * @param taken takers and victims of minipages, the most frequent first
   */
  public record OfArray(String name, String shape, String site, long strideBytes, long readFaults, long writeFaults, long invalidations, long pingPongs,
      long bytesMoved, int falselyShared, long unit, List<Pair> taken) {}

  /** How often {@code by} took a minipage from {@code from}. */
  public record Pair(int by, int from, long times) {}

  /**
   * A minipage.
   *
   * @param array name of its array
   * @param index index in the array
   * @param firstElement its first element
   * @param lastElement its last element
   * @param sharing {@code none}, {@code false}, {@code true} or {@code mixed}
   * @param unit sharing unit in bytes that would keep its nodes apart; 0 if it needs none or none is known
   * @param sharedFaults faults for words that another node used, too
   * @param apartFaults faults for words that no other node used
   * @param nodes elements that the faults of each node wanted
   * @param recent takers and victims, the last first
   */
  public record OfMinipage(String array, int index, long firstElement, long lastElement, long readFaults, long writeFaults, long invalidations,
      long pingPongs, long bytesMoved, String sharing, long unit, long sharedFaults, long apartFaults, List<Touched> nodes, List<Pair> recent) {}

  /** The range of elements that recent faults of a node wanted. */
  public record Touched(int node, long firstElement, long lastElement, boolean writes) {}
}
