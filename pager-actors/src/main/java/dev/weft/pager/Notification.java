package dev.weft.pager;

import com.typesafe.config.Config;
import dev.weft.hca.verbs.Hca;
import dev.weft.hca.verbs.WriteWatches;

/** How a pager client or server learns of its peer's messages. */
public enum Notification {
  /** Messages are Sends; completion events report them. */
  EVENTS,
  /** Messages are RDMA Writes; a Tripwire on their target memory reports them (CLAN section 2.5). */
  TRIPWIRE;

  /**
   * Returns the source of write notifications for TRIPWIRE; null for EVENTS.
   *
   * @throws IllegalArgumentException if the host has no NIC with Tripwires
   */
  public WriteWatches watchesOf(Hca hca) {
    if (this == EVENTS) {
      return null;
    }
    if (hca.writeWatches() == null) {
      throw new IllegalArgumentException("notification is tripwire, but the host " + hca.nodeName() + " has no CLAN NIC");
    }
    return hca.writeWatches();
  }

  /** Reads the key {@code notification} of {@code section}; messages name the section by {@code path}. */
  public static Notification of(String path, Config section) {
    String name = section.getString("notification");
    return switch (name) {
      case "events" -> EVENTS;
      case "tripwire" -> TRIPWIRE;
      default -> throw new IllegalArgumentException(path + ".notification is " + name + ", must be events or tripwire");
    };
  }
}
