package dev.weft.dsm.wire;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** How homes are assigned to minipages. The order of the constants is that of the wire. */
public enum HomePlacement {
  /** An array is spread in blocks over the nodes that were present when it was made. */
  FIXED,
  /** The first node is the home of all minipages. */
  CENTRALIZED,
  /** As {@link #FIXED} at first; later the node that wrote a minipage last is its home. */
  DYNAMIC;

  /** The name in settings and options. */
  public String configName() {
    return name().toLowerCase(Locale.ROOT);
  }

  /**
   * Returns the placement with this name.
   *
   * @param key option or setting that the name was given for
   * @throws IllegalArgumentException if there is none; the message lists the valid names
   */
  public static HomePlacement of(String key, String name) {
    return Arrays.stream(values()).filter(one -> one.configName().equals(name)).findFirst().orElseThrow(() -> new IllegalArgumentException(
        key + " is " + name + ", must be one of " + Arrays.stream(values()).map(HomePlacement::configName).collect(Collectors.joining(", "))));
  }
}
