package dev.weft.pvfs.meta;

import dev.weft.pvfs.wire.FileLock;
import dev.weft.pvfs.wire.MetaEvent;

/** Who is told what the manager tells a client. */
public interface EventListener {
  /** At once, on the client's thread, in order with all answers of the manager; must not block. */
  void onEvent(MetaEvent event);

  /** Then, on a thread of its own; the manager takes the event for done when this has returned. It must not wait for what needs the manager. */
  default void afterEvent(MetaEvent event) {}

  /** The client was not heard for too long: what it remembered may not be true any more. On the client's thread; must not block. */
  default void onLapsed() {}

  /** The manager does not know this client any more: what it remembered is gone. On the client's thread; must not block. */
  default void onLost() {}

  /** A lock could not be claimed at a manager that has started anew: somebody else may have it. On the client's thread; must not block. */
  default void onLockLost(long inode, FileLock lock) {}
}
