package dev.weft.fabric.switching;

import java.util.List;

/**
 * The state of a switch.
 *
 * @param ports attached ports, by number
 * @param routes LIDs that have a route, ascending
 * @param groups multicast groups with their ports, by LID
 */
public record SwitchSnapshot(List<PortSnapshot> ports, List<Route> routes, List<Group> groups) {
  /** Packets to {@code lid} leave through {@code portNumber}. */
  public record Route(int lid, int portNumber) {}

  /** Packets to the multicast LID leave through these ports, ascending. */
  public record Group(int lid, List<Integer> portNumbers) {}
}
