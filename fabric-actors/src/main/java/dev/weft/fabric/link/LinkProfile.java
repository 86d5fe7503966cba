package dev.weft.fabric.link;

/**
 * What a simulated cable costs.
 *
 * @param latencyNs nanoseconds from one end to the other, 0 or more; for packets, after the last bit was sent
 * @param bandwidthBitsPerSecond speed at which packets are sent one after another; 0 for no limit
 */
public record LinkProfile(long latencyNs, long bandwidthBitsPerSecond) {
  private static final long BITS_PER_BYTE_IN_NS = 8_000_000_000L;

  public LinkProfile {
    if (latencyNs < 0 || bandwidthBitsPerSecond < 0) {
      throw new IllegalArgumentException("latency of " + latencyNs + " ns and bandwidth of " + bandwidthBitsPerSecond
          + " bit/s must both be 0 or more");
    }
  }

  /** Nanoseconds to send {@code lengthBytes}, rounded up. */
  public long serialisationNs(int lengthBytes) {
    if (bandwidthBitsPerSecond == 0) {
      return 0;
    }
    return (lengthBytes * BITS_PER_BYTE_IN_NS + bandwidthBitsPerSecond - 1) / bandwidthBitsPerSecond;
  }
}
