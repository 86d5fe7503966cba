package dev.weft.pager.service;

import dev.weft.pager.client.AreaState;
import dev.weft.pager.client.AreaStatus;
import dev.weft.pager.server.MemoryServerSnapshot;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The inspection section {@code /weft/pager} of one JVM.
 *
 * @param memoryServers memory servers on the nodes of this JVM
 * @param exports block devices that this JVM offers
 * @param details further state, such as areas, pools and credits; may be null
 */
record PagerSection(List<MemoryServer> memoryServers, List<Export> exports, Object details) {
  /**
   * A memory server.
   *
   * @param node its node
   * @param capacityBytes memory that it offers
   * @param usedBytes memory that clients hold
   * @param areas number of areas that clients hold
   */
  record MemoryServer(String node, long capacityBytes, long usedBytes, int areas) {
    static List<MemoryServer> of(Map<String, MemoryServerSnapshot> snapshots) {
      return snapshots.entrySet().stream().map(entry -> {
        MemoryServerSnapshot s = entry.getValue();
        return new MemoryServer(entry.getKey(), s.memoryBytes(), s.memoryBytes() - s.freeBytes(), s.clients().size() + s.keptAreas());
      }).toList();
    }
  }

  /**
   * A block device.
   *
   * @param name export name
   * @param sizeBytes its size
   * @param state the state of its worst area
   * @param nbd its NBD URI for clients; empty if it is not served
   * @param servers nodes whose memory holds its sectors
   * @param areas its areas, one for each server
   */
  record Export(String name, long sizeBytes, String state, String nbd, List<String> servers, List<Area> areas) {
    /** Returns the current state of a device. */
    static Export of(String name, long sizeBytes, String nbd, List<AreaStatus> status) {
      AreaState worst = status.stream().map(AreaStatus::state).max(Enum::compareTo).orElse(AreaState.READY);
      return new Export(name, sizeBytes, word(worst), nbd, status.stream().map(AreaStatus::node).toList(), status.stream().map(Area::of).toList());
    }
  }

  /**
   * An area of a block device.
   *
   * @param start its first byte
   * @param bytes its length
   * @param node node whose memory holds it
   * @param state {@code ready}; {@code degraded}: its requests wait for a connection; {@code lost}: they fail with EIO
   * @param gone whether its data is known to be lost permanently
   * @param why the reason why it is not ready; empty if it is
   */
  record Area(long start, long bytes, String node, String state, boolean gone, String why) {
    static Area of(AreaStatus status) {
      return new Area(status.start(), status.bytes(), status.node(), word(status.state()), status.isGone(), status.why());
    }
  }

  private static String word(AreaState state) {
    return state.name().toLowerCase(Locale.ROOT);
  }
}
