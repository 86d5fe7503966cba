package dev.weft.dsm;

import java.util.Arrays;
import java.util.Locale;

/** What threads of different nodes may rely on where they share an array; chosen when it is allocated. */
public enum Consistency {
  /** All reads and writes of all threads stand in one order, also in programs with data races. One node at a time may write a minipage. */
  SEQUENTIAL,
  /**
   * Writes reach other nodes when the thread releases: when a lock goes to another node, at a barrier, or by {@link SharedSpace#release}. Many nodes
   * may write the same minipage at a time. Programs without data races see what they would see with {@link #SEQUENTIAL}.
   */
  RELEASE;

  /** As in commands. */
  public String configName() {
    return name().toLowerCase(Locale.ROOT);
  }

  /**
   * The consistency of a name.
   *
   * @param where what is wrong if there is none, for the message
   */
  public static Consistency of(String where, String name) {
    return Arrays.stream(values()).filter(one -> one.configName().equals(name)).findFirst()
        .orElseThrow(() -> new IllegalArgumentException(where + " is " + name + ", must be sequential or release"));
  }
}
