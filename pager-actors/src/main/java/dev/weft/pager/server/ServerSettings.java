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
 * @param context who runs the server
 * @param memoryBytes memory lent to clients altogether, a multiple of 4 KiB
 * @param store how data gets into the memory
 * @param registration whether the memory is pinned
 * @param residentBytes physical memory behind unpinned memory
 * @param pageFileDirectory where pages are that have none; empty for the directory of temporary files
 * @param notification how the server is told of requests
 * @param stagingSlots buffers of a staged store
 * @param clientsMax clients at a time
 * @param credits requests that each client may have outstanding
 * @param maxRequestBytes longest read or write
 * @param inlineWriteBytes longest write whose data may come with the request, 0 for none; a direct store in pinned memory takes them
 * @param messageBytes size of control messages
 * @param keepNs how long an area is kept whose client has lost its connection
 * @param idleNs time without work after which the server sleeps
 * @param pollNs time between two looks at the completion queue while awake; 0 is woken by events also then
 * @param reapMax completions handled before other actors get their turn
 */
public record ServerSettings(RoleContext context, long memoryBytes, Store store, Registration registration, long residentBytes,
    String pageFileDirectory, Notification notification, int stagingSlots, int clientsMax, int credits, int maxRequestBytes,
    int inlineWriteBytes, int messageBytes, long keepNs, long idleNs, long pollNs, int reapMax) {
  private static final Check.Section LIMITS = new Check.Section("weft.pager.server");

  /** How data gets into the store. */
  public enum Store {
    /** RDMA goes to and from the store itself. */
    DIRECT,
    /** RDMA goes through staging buffers, copied while other transfers are on their way. */
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
   * Longest write that comes with its request in fact: a staged store is for data that comes by RDMA, pages of an unpinned one may have to be
   * brought first, and a mailbox has no room.
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
