package dev.weft.dsm;

import java.util.Arrays;
import java.util.Locale;

/** The guarantee for threads of different nodes that share an array; chosen when the array is allocated. */
public enum Consistency {
  /** All reads and writes of all threads have one order, also in programs with data races. Only one node at a time may write a minipage. */
  SEQUENTIAL,
  /**
   * Writes reach other nodes when the thread releases: when a lock goes to another node, at a barrier, or by {@link SharedSpace#release}. Several
   * nodes may write the same minipage at the same time. Programs without data races see the same values as with {@link #SEQUENTIAL}.
   */
  RELEASE;

  /** The name that commands use. */
  public String configName() {
    return name().toLowerCase(Locale.ROOT);
  }

  /**
   * Returns the consistency with this name.
   *
   * @param where the wrong option, for the message of the exception
   */
  public static Consistency of(String where, String name) {
    return Arrays.stream(values()).filter(one -> one.configName().equals(name)).findFirst()
        .orElseThrow(() -> new IllegalArgumentException(where + " is " + name + ", must be sequential or release"));
  }
}
