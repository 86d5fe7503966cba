package dev.weft.lab.kit;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/** Classes of faults; each is on or off in a run, with a rate of its own. */
public enum FaultClass {
  /** Cables lose packets. */
  LOSS,
  /** Cables deliver packets twice. */
  DUPLICATION,
  /** Cables deliver packets late, after later ones. */
  REORDERING,
  /** Cables flip bits. */
  CORRUPTION,
  /** A node's cable becomes slow for a while. */
  LATENCY,
  /** A node is cut off in one or both directions for a while. */
  PARTITION,
  /** A server's node dies, and may come back empty. */
  SERVER_CRASH,
  /** A client's node dies, and returns as a new one. */
  CLIENT_CRASH,
  /** A server takes long to handle each message. */
  SLOW_SERVER,
  /** All actors of a node stop for a while, as under SIGSTOP. */
  PAUSE,
  /** A client's connection to a server breaks while both live. */
  CONNECTION_LOSS,
  /** A server ends, and an empty one starts on the same node. */
  SERVER_RESTART,
  /** A disk is full, fails a write, or leaves it open whether a write was done. */
  DISK;

  /** Whether a node dies with all its roles. */
  public boolean isCrash() {
    return this == SERVER_CRASH || this == CLIENT_CRASH;
  }

  /** The name on the command line. */
  public String option() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** Parses a list such as {@code loss,server-crash}; also {@code all} and {@code none}. */
  public static Set<FaultClass> parse(String list) {
    if (list.equals("all")) {
      return EnumSet.allOf(FaultClass.class);
    }
    EnumSet<FaultClass> classes = EnumSet.noneOf(FaultClass.class);
    if (list.equals("none")) {
      return classes;
    }
    for (String word : list.split(",")) {
      classes.add(Arrays.stream(values()).filter(kind -> kind.option().equals(word.strip())).findFirst()
          .orElseThrow(() -> new IllegalArgumentException("there is no class of faults '" + word + "'; give all, none, or some of "
              + describe(EnumSet.allOf(FaultClass.class)))));
    }
    return classes;
  }

  /** The list that {@link #parse} reads. */
  public static String describe(Set<FaultClass> classes) {
    return classes.isEmpty() ? "none" : classes.stream().map(FaultClass::option).collect(Collectors.joining(","));
  }
}
