package dev.weft.fabric.subnet;

import java.util.Map;
import java.util.TreeMap;

/** Ports of one switch that have joined one multicast group, and how often. Not thread-safe. */
public final class GroupMembers {
  private static final class Joins {
    int receiving;
    int sendOnly;
  }

  private final Map<Integer, Joins> byPort = new TreeMap<>();

  /** Counts a join; true if the port did not receive before and does now. */
  public boolean join(int port, boolean receives) {
    Joins joins = byPort.computeIfAbsent(port, number -> new Joins());
    if (receives) {
      return ++joins.receiving == 1;
    }
    joins.sendOnly++;
    return false;
  }

  /** Takes a join back; true if the port received until now. A leave without a join changes nothing. */
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

  /** The port is gone. */
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
