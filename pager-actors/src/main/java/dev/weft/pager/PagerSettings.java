package dev.weft.pager;

import com.typesafe.config.Config;
import dev.weft.fabric.Check;
import dev.weft.hca.node.RoleContext;

/**
 * The keys of {@code weft.pager.client}.
 *
 * @param context context that runs the client
 * @param poolBytes size of the registered pool, a multiple of 4 KiB
 * @param sharesMax number of consumers with a reserved buffer in addition to the pool; 0 for none
 * @param registration whether the pool is pinned
 * @param notification how the client learns of replies
 * @param maxRequestBytes length of the longest read or write
 * @param credits largest number of outstanding requests at each server
 * @param requestsMax largest number of requests that are accepted and not completed
 * @param waitersMax largest number of callers that wait for a buffer
 * @param requestTimeoutNs longest wait for a reply
 * @param reconnectIntervalNs time between two attempts to reconnect to an area
 * @param reconnectWaitNs longest time that requests wait for the reconnection
 * @param inlineWriteBytes length of the longest write that is sent with its data, 0 for none
 * @param messageBytes size of control messages
 * @param reapMax number of completions handled before other actors get their turn
 */
public record PagerSettings(RoleContext context, long poolBytes, int sharesMax, Registration registration, Notification notification,
    int maxRequestBytes, int credits, int requestsMax, int waitersMax, long requestTimeoutNs, long reconnectIntervalNs, long reconnectWaitNs,
    int inlineWriteBytes, int messageBytes, int reapMax) {
  private static final Check.Section LIMITS = new Check.Section("weft.pager.client");

  public PagerSettings {
    LIMITS.check("pool-size", poolBytes, 65_536, 1L << 30);
    LIMITS.check("shares", sharesMax, 0, 4096);
    LIMITS.check("max-request", maxRequestBytes, 4096, 1 << 20);
    LIMITS.check("credits", credits, 1, 4096);
    LIMITS.check("requests-max", requestsMax, 1, 1 << 20);
    LIMITS.check("waiters-max", waitersMax, 1, 1 << 20);
    LIMITS.check("request-timeout (in ns)", requestTimeoutNs, 1_000_000L, 3_600_000_000_000L);
    LIMITS.check("reconnect-interval (in ns)", reconnectIntervalNs, 10_000_000L, 60_000_000_000L);
    LIMITS.check("reconnect-wait (in ns)", reconnectWaitNs, 0, 3_600_000_000_000L);
    LIMITS.check("inline-write", inlineWriteBytes, 0, 65_536);
    LIMITS.check("message-size", messageBytes, 64, 4096);
    LIMITS.check("reap-max", reapMax, 1, 65_536);
    if (poolBytes % 4096 != 0 || maxRequestBytes > poolBytes) {
      throw new IllegalArgumentException("weft.pager.client.pool-size is " + poolBytes
          + ", must be a multiple of 4096 and at least max-request, " + maxRequestBytes);
    }
    if (notification == Notification.TRIPWIRE && context != RoleContext.ISR) {
      throw new IllegalArgumentException("weft.pager.client.context is " + context.configName() + "; with notification = tripwire it must be isr: "
          + "mailboxes are read on the thread that writes them");
    }
  }

  /** The size of a share: the longest request, in whole pages. */
  public int shareBytes() {
    return maxRequestBytes + 4095 & -4096;
  }

  /** The size of the memory that a device registers for its buffers. */
  public long registeredBytes() {
    return poolBytes + (long) sharesMax * shareBytes();
  }

  /** Reads and checks {@code weft.pager.client}. */
  public static PagerSettings from(Config root) {
    Config c = root.getConfig("weft.pager.client");
    return new PagerSettings(RoleContext.of("weft.pager.client", c), c.getBytes("pool-size"), c.getInt("shares"),
        Registration.of("weft.pager.client", c),
        Notification.of("weft.pager.client", c), Check.bytes(c, "max-request"), c.getInt("credits"),
        c.getInt("requests-max"), c.getInt("waiters-max"),
        c.getDuration("request-timeout").toNanos(), c.getDuration("reconnect-interval").toNanos(),
        c.getDuration("reconnect-wait").toNanos(), Check.bytes(c, "inline-write"),
        Check.bytes(c, "message-size"), c.getInt("reap-max"));
  }
}
