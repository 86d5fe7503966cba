package dev.weft.fabric.switching;

import dev.weft.fabric.packet.Packet;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;

/**
 * Ports by multicast LID (specification volume 1, section 18.2.4.3.3). Written by the switch, read by its ports, all on one thread.
 * Bound: the ports of the switch, for each of the {@code groupsMax} groups.
 */
final class MulticastTable {
  private static final int[] NO_PORTS = {};

  private final int groupsMax;
  private final Map<Integer, int[]> portsByLid = new TreeMap<>();

  MulticastTable(int groupsMax) {
    this.groupsMax = groupsMax;
  }

  /** Ports of the group in ascending order, not to be changed; none for any LID that is not a group's. */
  int[] portsOf(int lid) {
    return portsByLid.getOrDefault(lid, NO_PORTS);
  }

  /** False if that would be a group too many. */
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

  /** Takes the port out of all groups. */
  void removePort(int port) {
    for (int lid : portsByLid.keySet().stream().mapToInt(Integer::intValue).toArray()) {
      remove(lid, port);
    }
  }

  /** All groups, by LID. */
  Map<Integer, int[]> all() {
    return portsByLid;
  }

  static boolean isMulticast(int lid) {
    return Packet.isMulticast(lid);
  }
}
