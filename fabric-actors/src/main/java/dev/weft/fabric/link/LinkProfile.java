package dev.weft.fabric.link;

/**
 * The costs of a simulated cable.
 *
 * @param latencyNs nanoseconds from one end to the other, 0 or more; for packets, after the last bit was sent
 * @param bandwidthBitsPerSecond speed at which packets are sent one after another; 0 for no limit
 * @param headBytes bytes at the head of a packet whose sending time the latency includes already, so that only the rest adds to it; 0 if
 *     the latency begins after the last bit, {@link #WHOLE} if the far end begins with a packet when its head has arrived
 */
public record LinkProfile(long latencyNs, long bandwidthBitsPerSecond, int headBytes) {
  /** Value of {@link #headBytes}: the far end does not wait for the rest of a packet. */
  public static final int WHOLE = Integer.MAX_VALUE;


  private static final long BITS_PER_BYTE_IN_NS = 8_000_000_000L;

  public LinkProfile {
    if (latencyNs < 0 || bandwidthBitsPerSecond < 0 || headBytes < 0) {
      throw new IllegalArgumentException("latency of " + latencyNs + " ns, bandwidth of " + bandwidthBitsPerSecond
          + " bit/s and head of " + headBytes + " bytes must all be 0 or more");
    }
  }

  /** Makes the profile of a cable whose latency begins after the last bit. */
  public LinkProfile(long latencyNs, long bandwidthBitsPerSecond) {
    this(latencyNs, bandwidthBitsPerSecond, 0);
  }

  /** Returns the same profile with another {@code headBytes}. */
  public LinkProfile withHead(int bytes) {
    return new LinkProfile(latencyNs, bandwidthBitsPerSecond, bytes);
  }

  /** Returns the nanoseconds from the time that the last bit of a packet leaves the near end to its arrival; negative if it arrives before that. */
  public long arrivalNs(int lengthBytes) {
    return latencyNs - (headBytes == 0 ? 0 : serialisationNs(Math.min(lengthBytes, headBytes)));
  }

  /** Returns the nanoseconds to send {@code lengthBytes}, rounded up. */
  public long serialisationNs(int lengthBytes) {
    if (bandwidthBitsPerSecond == 0) {
      return 0;
    }
    return (lengthBytes * BITS_PER_BYTE_IN_NS + bandwidthBitsPerSecond - 1) / bandwidthBitsPerSecond;
  }
}
