package dev.weft.pvfs.tcp;

import java.nio.channels.SocketChannel;
import java.util.LinkedHashSet;

/** Connections that have not shown the secret, the oldest first, so many at most. Any thread. */
final class PendingHandshakes {
  private final int max;
  private final LinkedHashSet<SocketChannel> present = new LinkedHashSet<>();

  PendingHandshakes(int max) {
    this.max = max;
  }

  /** One more; the one that has to go for it, which is none of them any more, or null. */
  synchronized SocketChannel add(SocketChannel newcomer) {
    SocketChannel oldest = present.size() < max ? null : present.removeFirst();
    present.add(newcomer);
    return oldest;
  }

  /** False if it had to go, or has been removed. */
  synchronized boolean remove(SocketChannel one) {
    return present.remove(one);
  }
}
