package dev.weft.fabric;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts the messages that an element does not understand. Such a message has no effect and does not end the element. The log has the
 * first, second, fourth, eighth and so on. Call all methods, also {@link #count}, on the element's thread only.
 */
public final class UnknownMessages {
  private static final Logger LOG = LoggerFactory.getLogger(UnknownMessages.class);

  private long count;

  /**
   * Counts one message.
   *
   * @param element name of the element that received it, for the log
   */
  public void add(String element, Object message) {
    count++;
    if (Long.bitCount(count) == 1) {
      LOG.warn("{} ignored a message of unknown type: {} ({} such messages so far)", element, message, count);
    }
  }

  public long count() {
    return count;
  }
}
