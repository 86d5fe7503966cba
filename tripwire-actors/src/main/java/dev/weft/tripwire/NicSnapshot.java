package dev.weft.tripwire;

import java.util.List;

/**
 * A NIC at one moment.
 *
 * @param tripwires allocated Tripwires, of {@code tripwiresMax}
 * @param armed those that are armed
 * @param firings since the start
 * @param fifo identifiers in the event FIFO now
 * @param fifoOverflows firings that found no room in it
 * @param xoffs times that the switch told it to stop
 */
public record NicSnapshot(String name, int lid, boolean linkUp, int credits, int tripwires, int tripwiresMax, int armed, long firings,
    int fifo, long fifoOverflows, long xoffs, List<Aperture> apertures, List<Mapping> mappings, List<Port> endpoints, int readsOutstanding,
    NicCounters.Snapshot counters) {
  /** A local aperture. */
  public record Aperture(int number, long length) {}

  /** A remote aperture. */
  public record Mapping(int number, int lid, int aperture, long length, int rights, Status status) {}

  /** An endpoint. */
  public record Port(int port, int messages, int dmaRequests) {}
}
