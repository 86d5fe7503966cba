package dev.weft.pvfs.tcp;

import java.nio.channels.SocketChannel;
import java.util.LinkedHashSet;

/** Connections that have not proved the secret, the oldest first, up to a maximum. Any thread. */
final class PendingHandshakes {
  private final int max;
  private final LinkedHashSet<SocketChannel> present = new LinkedHashSet<>();

  PendingHandshakes(int max) {
    this.max = max;
  }

  /** Adds a connection. Returns the one that must go for it and is removed, or null. */
  synchronized SocketChannel add(SocketChannel newcomer) {
    SocketChannel oldest = present.size() < max ? null : present.removeFirst();
    present.add(newcomer);
    return oldest;
  }

  /** Returns false if it had to go, or was removed before. */
  synchronized boolean remove(SocketChannel one) {
    return present.remove(one);
  }
}
