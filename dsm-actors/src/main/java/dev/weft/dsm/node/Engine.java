package dev.weft.dsm.node;

import java.util.Arrays;
import java.util.Locale;

/** How minipages are kept coherent; all nodes of a space have the same. */
public enum Engine {
  /** By messages to homes and owners, whose code serves them. */
  REQUEST,
  /** By the faulting node alone, with RDMA (package {@link dev.weft.dsm.direct}). */
  SYNCHRONOUS;

  /** As in the configuration. */
  public String configName() {
    return name().toLowerCase(Locale.ROOT);
  }

  /**
   * The engine of a name.
   *
   * @param where what is wrong if there is none, for the message
   */
  public static Engine of(String where, String name) {
    return Arrays.stream(values()).filter(engine -> engine.configName().equals(name)).findFirst()
        .orElseThrow(() -> new IllegalArgumentException(where + " is " + name + ", must be request or synchronous"));
  }
}
