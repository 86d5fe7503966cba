package dev.weft.hca.transport;

/** Time encodings of the transport (specification volume 1, table 45 and section 11.2.4.2). */
final class TransportTimer {
  /** RNR timer codes 0 to 31, in units of 10 us. */
  private static final int[] RNR_10US = {
    65536, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144,
    8192, 12288, 16384, 24576, 32768, 49152
  };

  private TransportTimer() {}

  /** Returns the nanoseconds of an RNR timer code: 0.01 ms (code 1) to 655.36 ms (code 0). */
  static long rnrNs(int code) {
    return RNR_10US[code & 31] * 10_000L;
  }

  /** Returns the nanoseconds of a local ACK timeout exponent: 4.096 us times 2^exponent; {@link Long#MAX_VALUE} for 0. */
  static long ackTimeoutNs(int exponent) {
    return exponent == 0 ? Long.MAX_VALUE : 4096L << exponent;
  }
}
