package dev.weft.fabric;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts the messages that an element does not understand: they change nothing, and do not end it. The first is logged, then the second, the
 * fourth, the eighth and so on. Written by the element's thread; {@link #count} may be read there only.
 */
public final class UnknownMessages {
  private static final Logger LOG = LoggerFactory.getLogger(UnknownMessages.class);

  private long count;

  /**
   * One more.
   *
   * @param element who got it, for the log
   */
  public void add(String element, Object message) {
    count++;
    if (Long.bitCount(count) == 1) {
      LOG.warn("{} does not understand {}, which is without effect ({} such messages so far)", element, message, count);
    }
  }

  public long count() {
    return count;
  }
}
