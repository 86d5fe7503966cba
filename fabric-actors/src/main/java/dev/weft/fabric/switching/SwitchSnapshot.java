package dev.weft.fabric.switching;

import java.util.List;

/**
 * A switch at one moment.
 *
 * @param ports attached ports, by number
 * @param routes LIDs that have a route, ascending
 */
public record SwitchSnapshot(List<PortSnapshot> ports, List<Route> routes) {
  /** Packets to {@code lid} leave through {@code portNumber}. */
  public record Route(int lid, int portNumber) {}
}
