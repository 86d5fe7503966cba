package dev.weft.pvfs.tcp;

import java.io.IOException;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The thread that waits for all sockets of a JVM. It reads and writes nothing: it tells channels that they can, once for each time that they ask, and that what
 * they write has not been taken for too long.
 */
final class TcpSelector implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(TcpSelector.class);

  /** So often it looks for that until it is too long. */
  private static final int LOOKS = 8;
  private static final long AGAIN_NS = 10_000_000;

  final long stalledNs;
  private final Selector selector;
  private volatile boolean closed;

  TcpSelector(long stalledNs) {
    this.stalledNs = stalledNs;
    try {
      selector = Selector.open();
    } catch (IOException e) {
      throw new IllegalStateException("this process cannot wait for sockets: " + e.getMessage(), e);
    }
    Thread.ofPlatform().daemon().name("weft-pvfs-tcp").start(this::run);
  }

  private void run() {
    long lookMs = Math.max(1, stalledNs / LOOKS / 1_000_000);
    long lookedNs = System.nanoTime();
    while (!closed) {
      try {
        selector.select(TcpSelector::tell, lookMs);
        if (System.nanoTime() - lookedNs >= lookMs * 1_000_000) {
          selector.keys().forEach(TcpSelector::tellIfStalled);
          lookedNs = System.nanoTime();
        }
      } catch (IOException | ClosedSelectorException e) {
        if (!closed) {
          LOG.error("sockets are not waited for any more", e);
        }
        return;
      }
    }
  }

  private static void tell(SelectionKey key) {
    try {
      int ready = key.readyOps();
      key.interestOpsAnd(~ready);
      if (!isTold(key, ready)) {
        key.interestOpsOr(ready);
      }
    } catch (CancelledKeyException closedMeanwhile) {
      // Its channel has told of that.
    }
  }

  private static void tellIfStalled(SelectionKey key) {
    if (((TcpChannel) key.attachment()).isStalled()) {
      isTold(key, TcpChannel.STALLED);
    }
  }

  /** Whatever happens to one, the thread goes on for the others. */
  private static boolean isTold(SelectionKey key, int what) {
    try {
      ((TcpChannel) key.attachment()).onReady(what);
      return true;
    } catch (RuntimeException | OutOfMemoryError failed) {
      LOG.error("the actor of a connection cannot be told that it is ready; it is tried again", failed);
      LockSupport.parkNanos(AGAIN_NS);
      return false;
    }
  }

  /** It is told of nothing until it wants it. Any thread. */
  SelectionKey register(SocketChannel socket, TcpChannel channel) throws IOException {
    try {
      return socket.register(selector, 0, channel);
    } catch (ClosedSelectorException ended) {
      throw new IOException("connections are not wanted any more", ended);
    }
  }

  /** Once more. */
  void want(SelectionKey key, int operations) {
    key.interestOpsOr(operations);
    selector.wakeup();
  }

  /** A socket that was closed is let go. */
  void look() {
    selector.wakeup();
  }

  @Override
  public void close() {
    closed = true;
    try {
      selector.close();
    } catch (IOException e) {
      LOG.debug("a selector could not be closed", e);
    }
  }
}
