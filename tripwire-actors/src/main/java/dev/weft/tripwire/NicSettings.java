package dev.weft.tripwire;

import com.typesafe.config.Config;
import dev.weft.fabric.Check;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Limits and habits of a NIC; the keys of {@code weft.tripwire} in reference.conf, where each is explained.
 *
 * @param tripwiresMax Tripwires
 * @param fifoEntries identifiers in the event FIFO
 * @param fifoBatch identifiers that one interrupt takes from the event FIFO; 0 for all
 * @param aperturesMax local apertures
 * @param mappingsMax remote apertures
 * @param endpointsMax endpoints
 * @param messagesMax out-of-band messages of an endpoint
 * @param endpointCache closed endpoints that are kept
 * @param dmaRequestsMax DMA requests of an endpoint
 * @param dmaInFlightMax DMA requests at a time
 * @param dmaSetupNs how long the engine takes to be given its next request
 * @param dmaCopies whether a DMA request is done when its bytes have left this host, of which bursts are copies then
 * @param readsMax reads outstanding, and reads to be answered
 * @param readTimeoutNs how long a read may take
 * @param burstMaxBytes longest burst
 * @param outboundPackets packets waiting for a credit
 * @param storeRingBytes shared memory of stores
 * @param requestRingBytes shared memory of Tripwire requests
 * @param receiveBufferPackets link credits granted per lane
 * @param xoffAtPackets packets in the switch's buffer at which the NIC stops; 0 for credits alone
 * @param xonAtPackets packets at which it goes on
 * @param placeNs how long the NIC takes to place a packet
 * @param inputXoffAtPackets packets waiting to be placed at which the NIC tells the switch to stop; 0 for credits alone
 * @param inputXonAtPackets packets at which it tells it to go on
 * @param serviceLevel of all packets, which chooses their virtual lane
 * @param eventsMax entries of an event queue by default
 * @param controlTimeout how long a control call waits
 * @param confirmTimeout how long another NIC may take to answer, and how long a store waits for room
 */
public record NicSettings(
    int tripwiresMax,
    int fifoEntries,
    int fifoBatch,
    int aperturesMax,
    int mappingsMax,
    int endpointsMax,
    int messagesMax,
    int endpointCache,
    int dmaRequestsMax,
    int dmaInFlightMax,
    long dmaSetupNs,
    boolean dmaCopies,
    int readsMax,
    long readTimeoutNs,
    int burstMaxBytes,
    int outboundPackets,
    int storeRingBytes,
    int requestRingBytes,
    int receiveBufferPackets,
    int xoffAtPackets,
    int xonAtPackets,
    long placeNs,
    int inputXoffAtPackets,
    int inputXonAtPackets,
    int serviceLevel,
    int eventsMax,
    Duration controlTimeout,
    Duration confirmTimeout) {
  private static final Check.Section LIMITS = new Check.Section("weft.tripwire");
  private static final int MANY = 1 << 20;

  public NicSettings {
    LIMITS.check("tripwires-max", tripwiresMax, 1, MANY);
    LIMITS.check("fifo-entries", fifoEntries, 1, MANY);
    LIMITS.check("fifo-batch", fifoBatch, 0, MANY);
    LIMITS.check("apertures-max", aperturesMax, 1, MANY);
    LIMITS.check("mappings-max", mappingsMax, 1, MANY);
    LIMITS.check("endpoints-max", endpointsMax, 1, 65_535);
    LIMITS.check("messages-max", messagesMax, 1, 65_536);
    LIMITS.check("endpoint-cache", endpointCache, 0, 65_536);
    LIMITS.check("dma-requests-max", dmaRequestsMax, 1, 65_536);
    LIMITS.check("dma-in-flight-max", dmaInFlightMax, 1, 65_536);
    LIMITS.check("dma-setup (in ns)", dmaSetupNs, 0, TimeUnit.SECONDS.toNanos(1));
    LIMITS.check("reads-max", readsMax, 1, 65_536);
    LIMITS.check("read-timeout (in ns)", readTimeoutNs, 1_000, TimeUnit.HOURS.toNanos(1));
    LIMITS.check("burst-max", burstMaxBytes, 64, 65_536);
    LIMITS.check("outbound-packets", outboundPackets, 8, MANY);
    LIMITS.check("store-ring", storeRingBytes, 4096, 1 << 26);
    LIMITS.check("request-ring", requestRingBytes, 4096, 1 << 26);
    LIMITS.check("receive-buffer-packets", receiveBufferPackets, 2, 65_536);
    LIMITS.check("xoff-at-packets", xoffAtPackets, 0, 65_536);
    LIMITS.check("xon-at-packets", xonAtPackets, 0, Math.max(0, xoffAtPackets - 1));
    LIMITS.check("place-time (in ns)", placeNs, 0, TimeUnit.SECONDS.toNanos(1));
    LIMITS.check("input-xoff-at-packets", inputXoffAtPackets, 0, 65_536);
    LIMITS.check("input-xon-at-packets", inputXonAtPackets, 0, Math.max(0, inputXoffAtPackets - 1));
    LIMITS.check("service-level", serviceLevel, 0, 15);
    LIMITS.check("events-max", eventsMax, 1, MANY);
    LIMITS.check("control-timeout (in ms)", controlTimeout.toMillis(), 1, TimeUnit.HOURS.toMillis(1));
    LIMITS.check("confirm-timeout (in ms)", confirmTimeout.toMillis(), 1, TimeUnit.HOURS.toMillis(1));
    if ((burstMaxBytes & 3) != 0 || Integer.bitCount(storeRingBytes) != 1 || Integer.bitCount(requestRingBytes) != 1) {
      throw new IllegalArgumentException("weft.tripwire: burst-max is " + burstMaxBytes + ", must be a multiple of 4; store-ring is "
          + storeRingBytes + " and request-ring " + requestRingBytes + ", must be powers of two");
    }
  }

  /** Reads {@code weft.tripwire} of {@code config}. */
  public static NicSettings from(Config config) {
    Config c = config.getConfig("weft.tripwire");
    return new NicSettings(
        c.getInt("tripwires-max"),
        c.getInt("fifo-entries"),
        c.getInt("fifo-batch"),
        c.getInt("apertures-max"),
        c.getInt("mappings-max"),
        c.getInt("endpoints-max"),
        c.getInt("messages-max"),
        c.getInt("endpoint-cache"),
        c.getInt("dma-requests-max"),
        c.getInt("dma-in-flight-max"),
        c.getDuration("dma-setup", TimeUnit.NANOSECONDS),
        c.getBoolean("dma-copies"),
        c.getInt("reads-max"),
        c.getDuration("read-timeout", TimeUnit.NANOSECONDS),
        Check.bytes(c, "burst-max"),
        c.getInt("outbound-packets"),
        Check.bytes(c, "store-ring"),
        Check.bytes(c, "request-ring"),
        c.getInt("receive-buffer-packets"),
        c.getInt("xoff-at-packets"),
        c.getInt("xon-at-packets"),
        c.getDuration("place-time", TimeUnit.NANOSECONDS),
        c.getInt("input-xoff-at-packets"),
        c.getInt("input-xon-at-packets"),
        c.getInt("service-level"),
        c.getInt("events-max"),
        c.getDuration("control-timeout"),
        c.getDuration("confirm-timeout"));
  }
}
