package dev.weft.fabric.switching;

import dev.weft.fabric.packet.Packet;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;

/**
 * Ports by multicast LID (specification volume 1, section 18.2.4.3.3). The switch writes the table and its ports read it, all on one
 * thread. Bound: {@code groupsMax} groups, each with at most all ports of the switch.
 */
final class MulticastTable {
  private static final int[] NO_PORTS = {};

  private final int groupsMax;
  private final Map<Integer, int[]> portsByLid = new TreeMap<>();

  MulticastTable(int groupsMax) {
    this.groupsMax = groupsMax;
  }

  /** Returns the ports of the group in ascending order; none if no group has the LID. The caller must not change the array. */
  int[] portsOf(int lid) {
    return portsByLid.getOrDefault(lid, NO_PORTS);
  }

  /** Adds a port to a group. Returns false if that would exceed the number of groups. */
  boolean add(int lid, int port) {
    int[] ports = portsOf(lid);
    if (ports.length == 0 && portsByLid.size() >= groupsMax) {
      return false;
    }
    if (Arrays.binarySearch(ports, port) < 0) {
      int[] more = Arrays.copyOf(ports, ports.length + 1);
      more[ports.length] = port;
      Arrays.sort(more);
      portsByLid.put(lid, more);
    }
    return true;
  }

  void remove(int lid, int port) {
    int[] fewer = Arrays.stream(portsOf(lid)).filter(p -> p != port).toArray();
    if (fewer.length == 0) {
      portsByLid.remove(lid);
    } else {
      portsByLid.put(lid, fewer);
    }
  }

  /** Removes the port from all groups. */
  void removePort(int port) {
    for (int lid : portsByLid.keySet().stream().mapToInt(Integer::intValue).toArray()) {
      remove(lid, port);
    }
  }

  /** Returns all groups by LID. */
  Map<Integer, int[]> all() {
    return portsByLid;
  }

  static boolean isMulticast(int lid) {
    return Packet.isMulticast(lid);
  }
}
