package dev.weft.pvfs.meta;

import dev.weft.pvfs.wire.FileLock;
import dev.weft.pvfs.wire.MetaEvent;

/** Receives the manager's events for a client. */
public interface EventListener {
  /** An event has arrived. Called at once, on the client's thread, in the order of all answers of the manager; must not block. */
  void onEvent(MetaEvent event);

  /**
   * Called next, on a separate thread. When it returns, the manager regards the event as handled. It must not wait for anything that needs the
   * manager.
   */
  default void afterEvent(MetaEvent event) {}

  /** The client has not heard from the manager for too long: its cache may be outdated. On the client's thread; must not block. */
  default void onLapsed() {}

  /** The manager no longer knows this client: drop its cache. On the client's thread; must not block. */
  default void onLost() {}

  /** A lock could not be claimed at a restarted manager: another client may have it. On the client's thread; must not block. */
  default void onLockLost(long inode, FileLock lock) {}
}
