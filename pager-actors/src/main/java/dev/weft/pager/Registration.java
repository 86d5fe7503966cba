package dev.weft.pager;

import com.typesafe.config.Config;

/** How the memory of a pager is registered. */
public enum Registration {
  /** Registered once, and pinned. */
  STATIC,
  /** Not pinned: a server lends virtual memory of its host (seed 004), a client leaves its pool to the operating system. */
  UNPINNED;

  /** Reads the key {@code registration} of {@code section}, whose path is named in messages. */
  public static Registration of(String path, Config section) {
    String name = section.getString("registration");
    return switch (name) {
      case "static" -> STATIC;
      case "unpinned" -> UNPINNED;
      default -> throw new IllegalArgumentException(path + ".registration is " + name + ", must be static or unpinned");
    };
  }
}
