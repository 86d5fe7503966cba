package dev.weft.lab.sim.pager;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import org.slf4j.LoggerFactory;

/** Thousands of lost servers need no line each. */
final class QuietLogs {
  private QuietLogs() {}

  static void beQuiet() {
    ((Logger) LoggerFactory.getLogger("dev.weft.pager")).setLevel(Level.OFF);
  }
}
