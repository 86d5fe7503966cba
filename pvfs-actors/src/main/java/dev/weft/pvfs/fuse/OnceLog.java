package dev.weft.pvfs.fuse;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Logs each kind of error of an operation once, and counts the rest: a program that retries for ever does not fill the log. Any thread. */
final class OnceLog {
  /** Has the name of the mount's other messages. */
  private static final Logger LOG = LoggerFactory.getLogger(OnceLog.class.getPackageName() + ".FuseMount");
  private static final int KINDS_MAX = 256;

  private final String name;
  private final Set<String> said = ConcurrentHashMap.newKeySet();
  private final AtomicLong count = new AtomicLong();

  OnceLog(String name) {
    this.name = name;
  }

  /** {@code cause} may be null. Errors with the same operation and class of cause are logged once, whatever their message. */
  void say(int opcode, String message, Throwable cause) {
    count.incrementAndGet();
    String kind = opcode + " " + (cause == null ? "" : cause.getClass().getName());
    if (said.size() < KINDS_MAX && said.add(kind)) {
      LOG.error("{}: {}; this is logged once", name, message, cause);
    }
  }

  long count() {
    return count.get();
  }
}
