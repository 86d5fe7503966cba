package dev.weft.fabric.subnet;

import java.util.Map;
import java.util.TreeMap;

/** The ports of one switch that have joined one multicast group, and how often each has. Not thread-safe. */
public final class GroupMembers {
  private static final class Joins {
    int receiving;
    int sendOnly;
  }

  private final Map<Integer, Joins> byPort = new TreeMap<>();

  /** Counts a join. Returns true if the port begins to receive. */
  public boolean join(int port, boolean receives) {
    Joins joins = byPort.computeIfAbsent(port, number -> new Joins());
    if (receives) {
      return ++joins.receiving == 1;
    }
    joins.sendOnly++;
    return false;
  }

  /** Undoes a join. Returns true if the port stops receiving. A leave without a join changes nothing. */
  public boolean leave(int port, boolean receives) {
    Joins joins = byPort.get(port);
    if (joins == null || (receives ? joins.receiving : joins.sendOnly) == 0) {
      return false;
    }
    if (receives) {
      joins.receiving--;
    } else {
      joins.sendOnly--;
    }
    if (joins.receiving + joins.sendOnly == 0) {
      byPort.remove(port);
    }
    return receives && joins.receiving == 0;
  }

  /** Removes a port with all its joins. */
  public void remove(int port) {
    byPort.remove(port);
  }

  /** Whether any port receives. */
  public boolean receives() {
    return byPort.values().stream().anyMatch(joins -> joins.receiving > 0);
  }

  public boolean isEmpty() {
    return byPort.isEmpty();
  }
}
