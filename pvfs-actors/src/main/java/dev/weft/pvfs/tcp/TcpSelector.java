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
 * The thread that waits for all sockets of a JVM. It reads and writes nothing. It tells channels when they can, once for each request, and when their
 * data has not been accepted for too long.
 */
final class TcpSelector implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(TcpSelector.class);

  /** Checks for stalled channels within the limit. */
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
      // Its channel has reported that.
    }
  }

  private static void tellIfStalled(SelectionKey key) {
    if (((TcpChannel) key.attachment()).isStalled()) {
      isTold(key, TcpChannel.STALLED);
    }
  }

  /** Reports to one channel; whatever happens there, the thread continues for the others. */
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

  /** Registers a channel, which gets no report until it requests one. Any thread. */
  SelectionKey register(SocketChannel socket, TcpChannel channel) throws IOException {
    try {
      return socket.register(selector, 0, channel);
    } catch (ClosedSelectorException ended) {
      throw new IOException("connections are not wanted any more", ended);
    }
  }

  /** Requests one more report. */
  void want(SelectionKey key, int operations) {
    key.interestOpsOr(operations);
    selector.wakeup();
  }

  /** Releases closed sockets. */
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
