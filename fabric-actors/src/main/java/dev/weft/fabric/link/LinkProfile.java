package dev.weft.fabric.link;

/**
 * What a simulated cable costs.
 *
 * @param latencyNs nanoseconds from one end to the other, 0 or more; for packets, after the last bit was sent
 * @param bandwidthBitsPerSecond speed at which packets are sent one after another; 0 for no limit
 * @param headBytes bytes at the head of a packet whose arrival the latency counts already, so that only the rest adds to it; 0 where the
 *     latency begins after the last bit, {@link #WHOLE} where the far end takes a packet up when its head is there
 */
public record LinkProfile(long latencyNs, long bandwidthBitsPerSecond, int headBytes) {
  /** Of {@link #headBytes}: the far end does not wait for the rest. */
  public static final int WHOLE = Integer.MAX_VALUE;


  private static final long BITS_PER_BYTE_IN_NS = 8_000_000_000L;

  public LinkProfile {
    if (latencyNs < 0 || bandwidthBitsPerSecond < 0 || headBytes < 0) {
      throw new IllegalArgumentException("latency of " + latencyNs + " ns, bandwidth of " + bandwidthBitsPerSecond
          + " bit/s and head of " + headBytes + " bytes must all be 0 or more");
    }
  }

  /** A cable whose latency begins after the last bit. */
  public LinkProfile(long latencyNs, long bandwidthBitsPerSecond) {
    this(latencyNs, bandwidthBitsPerSecond, 0);
  }

  /** The same cable with another head. */
  public LinkProfile withHead(int bytes) {
    return new LinkProfile(latencyNs, bandwidthBitsPerSecond, bytes);
  }

  /** Nanoseconds from the last bit of a packet at the near end to its arrival; less than 0 where it arrives before that bit left. */
  public long arrivalNs(int lengthBytes) {
    return latencyNs - (headBytes == 0 ? 0 : serialisationNs(Math.min(lengthBytes, headBytes)));
  }

  /** Nanoseconds to send {@code lengthBytes}, rounded up. */
  public long serialisationNs(int lengthBytes) {
    if (bandwidthBitsPerSecond == 0) {
      return 0;
    }
    return (lengthBytes * BITS_PER_BYTE_IN_NS + bandwidthBitsPerSecond - 1) / bandwidthBitsPerSecond;
  }
}
