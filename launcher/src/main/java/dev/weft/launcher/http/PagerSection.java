package dev.weft.launcher.http;

import java.util.List;

/**
 * The section {@code pager} in the form that {@code weft status} reads.
 *
 * @param memoryServers memory servers on the nodes of this JVM
 * @param exports block devices that this JVM offers
 * @param details anything else worth a look: areas, pools, credits; may be null
 */
public record PagerSection(List<MemoryServer> memoryServers, List<Export> exports, Object details) {
  /** Its name. */
  public static final String NAME = "pager";

  /**
   * A memory server.
   *
   * @param node the node it runs on
   * @param capacityBytes memory that it offers
   * @param usedBytes memory that clients hold
   * @param areas areas that they hold
   */
  public record MemoryServer(String node, long capacityBytes, long usedBytes, int areas) {}

  /**
   * A block device.
   *
   * @param name export name
   * @param sizeBytes its size
   * @param state one word, such as {@code ready}
   * @param nbd where NBD clients find it, as an NBD URI; empty for nowhere
   * @param servers nodes whose memory holds its sectors
   */
  public record Export(String name, long sizeBytes, String state, String nbd, List<String> servers) {}
}
