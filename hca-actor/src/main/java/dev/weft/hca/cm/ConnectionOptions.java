package dev.weft.hca.cm;

/**
 * Queue pair attributes that a consumer may choose at connection set-up.
 *
 * @param accessFlags {@link dev.weft.hca.Access} bits granted to the peer
 * @param serviceLevel 0 to 15
 * @param timeout local ACK timeout exponent, 0 to 31
 * @param retryCnt 0 to 7
 * @param rnrRetry 0 to 7, 7 is for ever
 * @param minRnrTimer RNR timer code, 0 to 31
 * @param rdAtomic reads and atomics outstanding in each direction
 */
public record ConnectionOptions(
    int accessFlags, int serviceLevel, int timeout, int retryCnt, int rnrRetry, int minRnrTimer, int rdAtomic) {

  /** Everything granted, service level 0, 67 ms and 7 retries, RNR for ever after 0.64 ms, 16 reads or atomics. */
  public static final ConnectionOptions DEFAULT = new ConnectionOptions(dev.weft.hca.Access.ALL, 0, 14, 7, 7, 12, 16);
}
