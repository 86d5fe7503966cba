package dev.weft.pager;

import com.typesafe.config.Config;

/** How the memory of a pager is registered. */
public enum Registration {
  /** Registered once and pinned. */
  STATIC,
  /** Not pinned: a server lends virtual memory of its host (NetVM); the operating system manages the pool of a client. */
  UNPINNED;

  /** Reads the key {@code registration} of {@code section}; messages name the section by {@code path}. */
  public static Registration of(String path, Config section) {
    String name = section.getString("registration");
    return switch (name) {
      case "static" -> STATIC;
      case "unpinned" -> UNPINNED;
      default -> throw new IllegalArgumentException(path + ".registration is " + name + ", must be static or unpinned");
    };
  }
}
