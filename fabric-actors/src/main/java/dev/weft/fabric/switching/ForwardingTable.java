package dev.weft.fabric.switching;

import java.util.Arrays;

/**
 * Egress ports by destination LID. The switch writes the table and its ports read it, all on one thread. The table grows to the highest LID
 * that has had a route, because a simulated fabric has many switches and uses only a few LIDs.
 */
final class ForwardingTable {
  /** Result of {@link #portOf} for a LID without a route; port numbers begin at 1. */
  static final int NO_ROUTE = 0;

  /** Highest unicast LID. */
  static final int LID_MAX = 0xbfff;

  private static final int INITIAL_SIZE = 64;

  private int[] portByLid = new int[INITIAL_SIZE];

  /** Returns the egress port of {@code lid}, or {@link #NO_ROUTE}. Accepts any int. */
  int portOf(int lid) {
    return lid > 0 && lid < portByLid.length ? portByLid[lid] : NO_ROUTE;
  }

  void set(int lid, int port) {
    checkLid(lid);
    if (lid >= portByLid.length) {
      portByLid = Arrays.copyOf(portByLid, Math.min(LID_MAX + 1, Math.max(lid + 1, 2 * portByLid.length)));
    }
    portByLid[lid] = port;
  }

  void clear(int lid) {
    checkLid(lid);
    if (lid < portByLid.length) {
      portByLid[lid] = NO_ROUTE;
    }
  }

  /** Forgets every route through {@code port}. */
  void clearPort(int port) {
    for (int lid = 1; lid < portByLid.length; lid++) {
      if (portByLid[lid] == port) {
        portByLid[lid] = NO_ROUTE;
      }
    }
  }

  static boolean isUnicast(int lid) {
    return lid > 0 && lid <= LID_MAX;
  }

  private static void checkLid(int lid) {
    if (!isUnicast(lid)) {
      throw new IllegalArgumentException("LID " + lid + " is not a unicast LID, which go from 1 to " + LID_MAX);
    }
  }
}
