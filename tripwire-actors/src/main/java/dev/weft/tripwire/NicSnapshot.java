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
 * @param xoffsSaid times that it told the switch to stop
 * @param input packets that wait to be placed
 */
public record NicSnapshot(String name, int lid, boolean linkUp, int credits, int tripwires, int tripwiresMax, int armed, long firings,
    int fifo, long fifoOverflows, long xoffs, long xoffsSaid, int input, List<Aperture> apertures, List<Mapping> mappings, List<Port> endpoints,
    List<Queue> eventQueues, int readsOutstanding, NicCounters.Snapshot counters) {
  /** A local aperture. */
  public record Aperture(int number, long length) {}

  /** A remote aperture; {@code cause} says in words why it has failed, if it has. */
  public record Mapping(int number, int lid, int aperture, long length, int rights, Status status, String cause) {}

  /**
   * An event queue.
   *
   * @param number counted from 1 as they are made
   * @param events in its ring now
   * @param overflowed whether events wait for room in it
   * @param selectable whether it has a channel for a Selector
   * @param signals times that its channel was written
   */
  public record Queue(int number, int events, int capacity, boolean overflowed, boolean selectable, long signals) {}

  /** An endpoint. */
  public record Port(int port, int messages, int dmaRequests) {}
}
