package dev.weft.tripwire.nic;

import com.typesafe.config.Config;
import dev.weft.fabric.Check;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Settings of a NIC ({@code weft.tripwire}); {@code reference.conf} explains each key.
 *
 * @param tripwiresMax maximum number of Tripwires
 * @param fifoEntries capacity of the event FIFO
 * @param fifoBatch identifiers that one interrupt takes from the event FIFO; 0 for all
 * @param aperturesMax maximum number of local apertures
 * @param mappingsMax maximum number of remote apertures
 * @param endpointsMax maximum number of endpoints
 * @param messagesMax waiting out-of-band messages of an endpoint
 * @param endpointCache closed endpoints kept for reuse
 * @param dmaRequestsMax DMA requests of an endpoint
 * @param dmaInFlightMax DMA requests in flight
 * @param dmaSetupNs time to set the engine up for its next request
 * @param dmaCopies whether bursts are copies, and a DMA request is done when its bytes have left this host
 * @param readsMax outstanding reads, and as many reads being answered
 * @param readTimeoutNs how long a read may take
 * @param burstMaxBytes size of the longest burst
 * @param outboundPackets packets that wait for a credit
 * @param storeRingBytes size of the ring of stores
 * @param requestRingBytes size of the ring of Tripwire requests
 * @param receiveBufferPackets link credits granted for each lane
 * @param xoffAtPackets packets in the switch's buffer at which the NIC stops; 0 for credits alone
 * @param xonAtPackets packets at which it continues
 * @param placeNs time to place a packet
 * @param inputXoffAtPackets packets waiting to be placed at which the NIC stops the switch; 0 for credits alone
 * @param inputXonAtPackets packets at which the NIC lets the switch continue
 * @param serviceLevel service level of all packets, which selects their virtual lane
 * @param eventsMax default capacity of an event queue
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
