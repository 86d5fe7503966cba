package dev.weft.pager.service;

import dev.weft.pager.client.AreaState;
import dev.weft.pager.client.AreaStatus;
import dev.weft.pager.server.MemoryServerSnapshot;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * What {@code /weft/pager} shows of one JVM.
 *
 * @param memoryServers memory servers on the nodes of this JVM
 * @param exports block devices that this JVM offers
 * @param details anything else worth a look: areas, pools, credits; may be null
 */
record PagerSection(List<MemoryServer> memoryServers, List<Export> exports, Object details) {
  /**
   * A memory server.
   *
   * @param node the node it runs on
   * @param capacityBytes memory that it offers
   * @param usedBytes memory that clients hold
   * @param areas areas that they hold
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
   * @param state that of its worst area
   * @param nbd where NBD clients find it, as an NBD URI; empty for nowhere
   * @param servers nodes whose memory holds its sectors
   * @param areas its parts, one for each server
   */
  record Export(String name, long sizeBytes, String state, String nbd, List<String> servers, List<Area> areas) {
    /** The device as it stands now. */
    static Export of(String name, long sizeBytes, String nbd, List<AreaStatus> status) {
      AreaState worst = status.stream().map(AreaStatus::state).max(Enum::compareTo).orElse(AreaState.READY);
      return new Export(name, sizeBytes, word(worst), nbd, status.stream().map(AreaStatus::node).toList(), status.stream().map(Area::of).toList());
    }
  }

  /**
   * A part of a block device.
   *
   * @param start its first byte
   * @param bytes its length
   * @param node whose memory holds it
   * @param state {@code ready}; {@code degraded}: its requests wait for a connection; {@code lost}: they fail with EIO
   * @param gone whether what it held is known to exist no more
   * @param why why it is not ready; empty if it is
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
