package dev.weft.dsm.settings;

import java.util.Arrays;
import java.util.Locale;

/** How minipages stay coherent; the same at all nodes of a space. */
public enum Engine {
  /** By messages to homes and owners. */
  REQUEST,
  /** By the faulting node alone, with RDMA (package {@link dev.weft.dsm.direct}). */
  SYNCHRONOUS;

  /** The name in the configuration. */
  public String configName() {
    return name().toLowerCase(Locale.ROOT);
  }

  /**
   * Returns the engine with this name.
   *
   * @param where the wrong setting, for the message of the exception
   */
  public static Engine of(String where, String name) {
    return Arrays.stream(values()).filter(engine -> engine.configName().equals(name)).findFirst()
        .orElseThrow(() -> new IllegalArgumentException(where + " is " + name + ", must be request or synchronous"));
  }
}
