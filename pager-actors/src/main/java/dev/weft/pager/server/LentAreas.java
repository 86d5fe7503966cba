package dev.weft.pager.server;

import dev.weft.pager.wire.Handshake;
import dev.weft.pager.wire.Handshake.AreaName;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The areas that one incarnation of a memory server has lent, including those whose client is not connected. */
final class LentAreas {
  private final long incarnation;
  private final Map<Long, LentArea> areas = new LinkedHashMap<>();
  private long nextNumber = 1;

  LentAreas(long incarnation) {
    this.incarnation = incarnation;
  }

  /** Returns a name that no area has had. */
  AreaName newName() {
    return new AreaName(incarnation, nextNumber++);
  }

  void add(LentArea area) {
    areas.put(area.name.number(), area);
  }

  void remove(LentArea area) {
    areas.remove(area.name.number());
  }

  boolean contains(LentArea area) {
    return areas.get(area.name.number()) == area;
  }

  int size() {
    return areas.size();
  }

  List<LentArea> all() {
    return List.copyOf(areas.values());
  }

  /** Returns the area that the request of a client of {@code node} names; null if this incarnation has no such area. */
  LentArea find(String node, Handshake.Wish wish) {
    LentArea area = wish.area().incarnation() == incarnation ? areas.get(wish.area().number()) : null;
    return area != null && area.node.equals(node) && area.bytes == wish.areaBytes() ? area : null;
  }

  /** Returns the areas whose client has not reconnected in time. */
  List<LentArea> overdue(long nowNs) {
    return areas.values().stream().filter(area -> area.client == null && nowNs - area.keptUntilNs >= 0).toList();
  }

  /**
   * Handles a node that has left the fabric, whose clients will not reconnect. Returns its areas without a connection. The connection manager reports the
   * end of the other connections.
   */
  List<LentArea> leftBy(String node) {
    List<LentArea> left = new ArrayList<>();
    for (LentArea area : areas.values()) {
      if (area.node.equals(node)) {
        area.isOrphan = true;
        if (area.client == null) {
          left.add(area);
        }
      }
    }
    return left;
  }
}
