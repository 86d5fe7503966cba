package dev.weft.dsm.wire;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** Which node is the home of a minipage. The order is that of the wire. */
public enum HomePlacement {
  /** An array is spread over the nodes that were there when it was made, in blocks. */
  FIXED,
  /** The first node is the home of all. */
  CENTRALIZED,
  /** As {@link #FIXED} at first; then who has written a minipage last is its home. */
  DYNAMIC;

  /** As settings and options say it. */
  public String configName() {
    return name().toLowerCase(Locale.ROOT);
  }

  /**
   * The one with this name.
   *
   * @param key what the name was given for
   * @throws IllegalArgumentException if there is none; the message says which there are
   */
  public static HomePlacement of(String key, String name) {
    return Arrays.stream(values()).filter(one -> one.configName().equals(name)).findFirst().orElseThrow(() -> new IllegalArgumentException(
        key + " is " + name + ", must be one of " + Arrays.stream(values()).map(HomePlacement::configName).collect(Collectors.joining(", "))));
  }
}
