package dev.weft.lab.kit;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.ILoggerFactory;
import org.slf4j.LoggerFactory;
import org.slf4j.helpers.SubstituteLoggerFactory;

/** Silences loggers: thousands of runs need no line for each error in them. Any thread. */
public final class QuietLogs {
  private static final long MOMENT_NS = 1_000_000;

  private QuietLogs() {}

  /** Silences a logger. Waits if another thread is just initialising logging, because loggers are not Logback's before that. */
  public static void silence(String logger) {
    ILoggerFactory loggers = LoggerFactory.getILoggerFactory();
    while (loggers instanceof SubstituteLoggerFactory) {
      LockSupport.parkNanos(MOMENT_NS);
      loggers = LoggerFactory.getILoggerFactory();
    }
    ((LoggerContext) loggers).getLogger(logger).setLevel(Level.OFF);
  }
}
