package dev.weft.hca.cm;

import dev.weft.hca.verbs.Access;
import dev.weft.hca.verbs.QpAttr;
import dev.weft.hca.verbs.VerbsException;

/**
 * Queue pair attributes that a consumer may choose at connection set-up: {@code ConnectionOptions.DEFAULT.withTimeout(18)}.
 *
 * @param accessFlags {@link Access} bits granted to the peer
 * @param serviceLevel 0 to 15
 * @param timeout local ACK timeout exponent, 0 to 31
 * @param retryCnt number of transport retries, 0 to 7
 * @param rnrRetry number of receiver-not-ready (RNR) retries, 0 to 7; 7 means unlimited
 * @param minRnrTimer RNR timer code, 0 to 31
 * @param rdAtomic largest number of outstanding reads and atomics in each direction
 */
public record ConnectionOptions(
    int accessFlags, int serviceLevel, int timeout, int retryCnt, int rnrRetry, int minRnrTimer, int rdAtomic) {

  public ConnectionOptions {
    if ((accessFlags & ~Access.QP) != 0) {
      throw new VerbsException(VerbsException.Errno.EINVAL,
          "accessFlags is 0x" + Integer.toHexString(accessFlags) + ", must be bits of 0x" + Integer.toHexString(Access.QP));
    }
    check("serviceLevel", serviceLevel, 15);
    check("timeout", timeout, 31);
    check("retryCnt", retryCnt, 7);
    check("rnrRetry", rnrRetry, 7);
    check("minRnrTimer", minRnrTimer, 31);
    check("rdAtomic", rdAtomic, 255);
  }

  private static void check(String name, int value, int high) {
    if (value < 0 || value > high) {
      throw new VerbsException(VerbsException.Errno.EINVAL, name + " is " + value + ", must be from 0 to " + high);
    }
  }

  /**
   * All access rights, service level 0, {@link QpAttr#DEFAULT_TIMEOUT 2.1 s} and 7 retries, unlimited RNR retries after 0.64 ms, 16 reads or atomics.
   */
  public static final ConnectionOptions DEFAULT = new ConnectionOptions(Access.ALL, 0, QpAttr.DEFAULT_TIMEOUT,
      QpAttr.DEFAULT_RETRY_CNT, 7, 12, 16);

  /** Returns a copy with other {@link Access} bits for the peer. */
  public ConnectionOptions withAccessFlags(int value) {
    return new ConnectionOptions(value, serviceLevel, timeout, retryCnt, rnrRetry, minRnrTimer, rdAtomic);
  }

  /** Returns a copy with another service level. */
  public ConnectionOptions withServiceLevel(int value) {
    return new ConnectionOptions(accessFlags, value, timeout, retryCnt, rnrRetry, minRnrTimer, rdAtomic);
  }

  /** Returns a copy with another local ACK timeout exponent. */
  public ConnectionOptions withTimeout(int value) {
    return new ConnectionOptions(accessFlags, serviceLevel, value, retryCnt, rnrRetry, minRnrTimer, rdAtomic);
  }

  /** Returns a copy with another number of transport retries. */
  public ConnectionOptions withRetryCnt(int value) {
    return new ConnectionOptions(accessFlags, serviceLevel, timeout, value, rnrRetry, minRnrTimer, rdAtomic);
  }

  /** Returns a copy with another number of receiver-not-ready retries. */
  public ConnectionOptions withRnrRetry(int value) {
    return new ConnectionOptions(accessFlags, serviceLevel, timeout, retryCnt, value, minRnrTimer, rdAtomic);
  }

  /** Returns a copy with another RNR timer code. */
  public ConnectionOptions withMinRnrTimer(int value) {
    return new ConnectionOptions(accessFlags, serviceLevel, timeout, retryCnt, rnrRetry, value, rdAtomic);
  }

  /** Returns a copy with another number of outstanding reads and atomics. */
  public ConnectionOptions withRdAtomic(int value) {
    return new ConnectionOptions(accessFlags, serviceLevel, timeout, retryCnt, rnrRetry, minRnrTimer, value);
  }
}
