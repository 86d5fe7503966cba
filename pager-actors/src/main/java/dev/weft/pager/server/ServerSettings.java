package dev.weft.pager.server;

import com.typesafe.config.Config;
import dev.weft.fabric.Check;
import dev.weft.hca.node.RoleContext;
import dev.weft.pager.Notification;
import dev.weft.pager.Registration;
import java.util.Locale;

/**
 * The keys of {@code weft.pager.server}.
 *
 * @param context context that runs the server
 * @param memoryBytes total memory lent to clients, a multiple of 4 KiB
 * @param store how data gets into the memory
 * @param registration whether the memory is pinned
 * @param residentBytes size of the physical memory for unpinned memory
 * @param pageFileDirectory directory of the page file for unpinned memory; empty for the directory of temporary files
 * @param notification how the server learns of requests
 * @param stagingSlots number of buffers of a staged store
 * @param clientsMax largest number of clients at a time
 * @param credits number of requests that each client may have outstanding
 * @param maxRequestBytes length of the longest read or write
 * @param inlineWriteBytes length of the longest write that may be sent with its data, 0 for none; only for a direct store in pinned memory
 * @param messageBytes size of control messages
 * @param keepNs how long the server keeps an area whose client has lost its connection
 * @param idleNs time without work after which the server is idle
 * @param pollNs time between two polls of the completion queue while awake; with 0, events wake the server instead
 * @param reapMax number of completions handled before other actors get their turn
 */
public record ServerSettings(RoleContext context, long memoryBytes, Store store, Registration registration, long residentBytes,
    String pageFileDirectory, Notification notification, int stagingSlots, int clientsMax, int credits, int maxRequestBytes,
    int inlineWriteBytes, int messageBytes, long keepNs, long idleNs, long pollNs, int reapMax) {
  private static final Check.Section LIMITS = new Check.Section("weft.pager.server");

  /** How data gets into the store. */
  public enum Store {
    /** RDMA goes directly to and from the store. */
    DIRECT,
    /** RDMA goes through staging buffers, which are copied while other transfers are in progress. */
    STAGED
  }

  public ServerSettings {
    LIMITS.check("memory", memoryBytes, 4096, 1L << 42);
    LIMITS.check("resident-memory", residentBytes, 8192, 1L << 42);
    LIMITS.check("staging-slots", stagingSlots, 1, 4096);
    LIMITS.check("clients-max", clientsMax, 1, 1024);
    LIMITS.check("credits", credits, 1, 4096);
    LIMITS.check("max-request", maxRequestBytes, 4096, 1 << 20);
    LIMITS.check("inline-write", inlineWriteBytes, 0, 65_536);
    LIMITS.check("message-size", messageBytes, 64, 4096);
    LIMITS.check("keep-time (in ns)", keepNs, 0, 86_400_000_000_000L);
    LIMITS.check("idle-time (in ns)", idleNs, 1000, 60_000_000_000L);
    LIMITS.check("poll-interval (in ns)", pollNs, 0, 1_000_000_000L);
    LIMITS.check("reap-max", reapMax, 1, 65_536);
    if (memoryBytes % 4096 != 0) {
      throw new IllegalArgumentException("weft.pager.server.memory is " + memoryBytes + ", must be a multiple of 4096");
    }
    if (registration == Registration.UNPINNED && store == Store.STAGED) {
      throw new IllegalArgumentException("weft.pager.server.store is staged, which copies to and from pinned memory by itself: it must be "
          + "direct with registration = unpinned");
    }
    if (notification == Notification.TRIPWIRE && context != RoleContext.ISR) {
      throw new IllegalArgumentException("weft.pager.server.context is " + context.configName() + "; with notification = tripwire it must be isr: "
          + "mailboxes are read on the thread that writes them");
    }
  }

  /** Reads and checks {@code weft.pager.server}. */
  public static ServerSettings from(Config root) {
    Config c = root.getConfig("weft.pager.server");
    return new ServerSettings(RoleContext.of("weft.pager.server", c), c.getBytes("memory"), store(c.getString("store")),
        Registration.of("weft.pager.server", c),
        c.getBytes("resident-memory"), c.getString("page-file-directory"), Notification.of("weft.pager.server", c),
        c.getInt("staging-slots"), c.getInt("clients-max"), c.getInt("credits"), Check.bytes(c, "max-request"),
        Check.bytes(c, "inline-write"), Check.bytes(c, "message-size"), c.getDuration("keep-time").toNanos(),
        c.getDuration("idle-time").toNanos(),
        c.getDuration("poll-interval").toNanos(), c.getInt("reap-max"));
  }

  /**
   * Returns the effective length of the longest write that may be sent with its data. It is 0 for a staged store, which is for data that arrives by RDMA;
   * for an unpinned store, whose pages may be absent; and for a mailbox, which has no room.
   */
  int inlineBytes() {
    boolean takesInline = store == Store.DIRECT && registration == Registration.STATIC && notification == Notification.EVENTS;
    return takesInline ? Math.min(inlineWriteBytes, maxRequestBytes) : 0;
  }

  private static Store store(String name) {
    return switch (name.toLowerCase(Locale.ROOT)) {
      case "direct" -> Store.DIRECT;
      case "staged" -> Store.STAGED;
      default -> throw new IllegalArgumentException("weft.pager.server.store is " + name + ", must be direct or staged");
    };
  }
}
