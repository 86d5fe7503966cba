package dev.weft.pvfs.manager;

import java.util.function.LongConsumer;

/** Does on the daemons what the name space wants. */
interface Effects extends AutoCloseable {
  /**
   * Begins; it is tried until it is done, those of one inode in the order in which they are given.
   *
   * @param whenDone gets the intent's id; any thread
   * @return false if as many are under way as may be; nothing was begun then
   */
  boolean begin(Intent intent, LongConsumer whenDone);

  @Override
  void close();
}
