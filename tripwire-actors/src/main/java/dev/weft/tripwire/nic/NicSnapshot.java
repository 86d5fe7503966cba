package dev.weft.tripwire.nic;


import java.util.List;

/**
 * The state of a NIC at one moment.
 *
 * @param tripwires number of allocated Tripwires, of {@code tripwiresMax}
 * @param armed number of armed ones
 * @param firings firings since the start
 * @param fifo identifiers in the event FIFO now
 * @param fifoOverflows firings that found no room in it
 * @param xoffs how often the switch stopped the NIC
 * @param xoffsSaid how often the NIC stopped the switch
 * @param input packets that wait to be placed
 */
public record NicSnapshot(String name, int lid, boolean linkUp, int credits, int tripwires, int tripwiresMax, int armed, long firings,
    int fifo, long fifoOverflows, long xoffs, long xoffsSaid, int input, List<Aperture> apertures, List<Mapping> mappings, List<Port> endpoints,
    List<Queue> eventQueues, int readsOutstanding, Counters counters) {
  /** A local aperture. */
  public record Aperture(int number, long length) {}

  /** A remote aperture; {@code cause} describes why it has failed, if it has. */
  public record Mapping(int number, int lid, int aperture, long length, int rights, Status status, String cause) {}

  /**
   * An event queue.
   *
   * @param number number of the queue, from 1 in order of creation
   * @param events events in its ring now
   * @param overflowed whether events wait for room in it
   * @param selectable whether it has a channel for a Selector
   * @param signals how often its channel was written
   */
  public record Queue(int number, int events, int capacity, boolean overflowed, boolean selectable, long signals) {}

  /** An endpoint. */
  public record Port(int port, int messages, int dmaRequests) {}

  /** All counters at one moment. */
  public record Counters(long packetsSent, long bytesSent, long packetsReceived, long bytesPlaced, long bytesCopied, long duplicates, long gaps,
      long refusalsSent, long refusalsLost, long refusalsReceived, long readsAnswered, long messagesReceived, long interrupts,
      long driverCalls, long packetsDropped, long unknownMessages) {}
}
