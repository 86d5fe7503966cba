package dev.weft.pager;

import com.typesafe.config.Config;
import dev.weft.hca.verbs.Hca;
import dev.weft.hca.verbs.WriteWatches;

/** How a pager is told of what its peer has sent. */
public enum Notification {
  /** Messages are Sends, told of by completion events. */
  EVENTS,
  /** Messages are RDMA Writes, told of by a Tripwire on the memory that they go to (seed 003 section 2.5). */
  TRIPWIRE;

  /**
   * Who tells of writes, for TRIPWIRE; null for EVENTS.
   *
   * @throws IllegalArgumentException if the host has no NIC that can
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

  /** Reads the key {@code notification} of {@code section}, whose path is named in messages. */
  public static Notification of(String path, Config section) {
    String name = section.getString("notification");
    return switch (name) {
      case "events" -> EVENTS;
      case "tripwire" -> TRIPWIRE;
      default -> throw new IllegalArgumentException(path + ".notification is " + name + ", must be events or tripwire");
    };
  }
}
