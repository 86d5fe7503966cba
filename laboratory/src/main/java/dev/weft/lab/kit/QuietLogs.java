package dev.weft.lab.kit;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.ILoggerFactory;
import org.slf4j.LoggerFactory;
import org.slf4j.helpers.SubstituteLoggerFactory;

/** Thousands of runs need no line for each thing that goes wrong in them. Any thread. */
public final class QuietLogs {
  private static final long MOMENT_NS = 1_000_000;

  private QuietLogs() {}

  /** Nothing of that logger is shown. Waits where another thread has just begun with logging, and loggers are none of Logback's yet. */
  public static void silence(String logger) {
    ILoggerFactory loggers = LoggerFactory.getILoggerFactory();
    while (loggers instanceof SubstituteLoggerFactory) {
      LockSupport.parkNanos(MOMENT_NS);
      loggers = LoggerFactory.getILoggerFactory();
    }
    ((LoggerContext) loggers).getLogger(logger).setLevel(Level.OFF);
  }
}
