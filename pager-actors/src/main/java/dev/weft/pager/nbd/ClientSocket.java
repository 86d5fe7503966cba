package dev.weft.pager.nbd;

import dev.weft.fabric.time.Clock;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLEngine;

/**
 * A non-blocking client socket, the selector on which its thread sleeps, and the bytes read ahead. Only the connection's thread
 * calls it, except for methods that say otherwise. After {@link #startTls} all bytes go through TLS.
 */
final class ClientSocket {
  static final int READ_AHEAD_BYTES = 64 << 10;

  private final SocketChannel channel;
  private final Selector selector;
  private final SelectionKey key;
  private final Clock clock;
  private volatile boolean closing;
  /** Null without TLS. Set before other threads write, which they do only after the handshake. */
  private TlsChannel tls;
  private final ByteBuffer[] scatter = new ByteBuffer[2];
  /** The bytes read ahead; always in read mode. */
  final ByteBuffer ahead = ByteBuffer.allocateDirect(READ_AHEAD_BYTES).limit(0);

  ClientSocket(SocketChannel channel, Clock clock) throws IOException {
    this.channel = channel;
    this.clock = clock;
    channel.configureBlocking(false);
    this.selector = Selector.open();
    this.key = channel.register(selector, 0);
  }

  /** Reads ahead at most {@code bytesMax} bytes without waiting. Returns their number, 0 if none were available, -1 at the end. */
  int fill(int bytesMax) throws IOException {
    ahead.compact();
    ahead.limit(Math.min(ahead.capacity(), ahead.position() + bytesMax));
    try {
      return tls == null ? channel.read(ahead) : tls.read(ahead);
    } finally {
      ahead.flip();
    }
  }

  /**
   * Moves payload into {@code into} without waiting: first the bytes read ahead, then bytes from the socket, together with up
   * to {@code aheadBytesMax} following bytes. Returns whether {@code into} is full.
   */
  boolean readInto(ByteBuffer into, int aheadBytesMax) throws IOException {
    int ready = Math.min(ahead.remaining(), into.remaining());
    if (ready > 0) {
      into.put(into.position(), ahead, ahead.position(), ready);
      into.position(into.position() + ready);
      ahead.position(ahead.position() + ready);
    }
    if (tls != null) {
      return readTls(into);
    }
    while (into.hasRemaining()) {
      ahead.clear().limit(aheadBytesMax);
      scatter[0] = into;
      scatter[1] = ahead;
      long count;
      try {
        count = channel.read(scatter);
      } finally {
        ahead.flip();
      }
      if (count < 0) {
        throw new EOFException("the client left in the middle of a payload");
      }
      if (count == 0) {
        return false;
      }
    }
    return true;
  }

  private boolean readTls(ByteBuffer into) throws IOException {
    while (into.hasRemaining()) {
      int count = tls.read(into);
      if (count < 0) {
        throw new EOFException("the client left in the middle of a payload");
      }
      if (count == 0) {
        return false;
      }
    }
    return true;
  }

  /**
   * Writes as much as the socket accepts now; returns the number of bytes, 0 if it has no room. Only the thread that holds the right to write.
   * With TLS, encrypted bytes may remain after the buffers are empty, see {@link #hasUnsent}; the next call sends them.
   */
  long write(ByteBuffer[] buffers, int first, int count) throws IOException {
    return tls == null ? channel.write(buffers, first, count) : tls.write(buffers, first, count);
  }

  /** Whether encrypted bytes wait for room in the socket. Only the thread that holds the right to write. */
  boolean hasUnsent() {
    return tls != null && tls.hasUnsent();
  }

  boolean isTls() {
    return tls != null;
  }

  /** Runs the TLS handshake as the server, at most until {@code deadlineNs}; from then on all bytes go through TLS. */
  void startTls(SSLEngine engine, long deadlineNs) throws IOException {
    if (ahead.hasRemaining()) {
      // An attacker on the path may have injected them as if the client had sent them.
      throw new IOException("the client sent more after STARTTLS before it was answered");
    }
    tls = new TlsChannel(channel, engine);
    for (int ops = tls.handshake(); ops != 0; ops = tls.handshake()) {
      sleep(ops, remaining(deadlineNs));
    }
  }

  /** Sleeps until one of {@code ops} is possible, {@link #wakeup} is called, or {@code timeoutNs} have passed; 0 means no timeout. */
  void sleep(int ops, long timeoutNs) throws IOException {
    key.interestOps(ops);
    selector.select(timeoutNs == 0 ? 0 : Math.max(1, TimeUnit.NANOSECONDS.toMillis(timeoutNs)));
    selector.selectedKeys().clear();
  }

  /** Ends the current sleep or the next one. Any thread. */
  void wakeup() {
    selector.wakeup();
  }

  /** Aborts a handshake that waits for its client. Any thread. */
  void endHandshake() {
    closing = true;
    selector.wakeup();
  }

  /** Fills {@code into}, at most until {@code deadlineNs}; for the handshake. */
  void readFully(ByteBuffer into, long deadlineNs) throws IOException {
    while (!readInto(into, READ_AHEAD_BYTES)) {
      sleep(SelectionKey.OP_READ, remaining(deadlineNs));
    }
  }

  /** Writes all of {@code from}, at most until {@code deadlineNs}; for the handshake. */
  void writeFully(ByteBuffer from, long deadlineNs) throws IOException {
    ByteBuffer[] one = {from};
    while (from.hasRemaining() || hasUnsent()) {
      if (write(one, 0, 1) == 0) {
        sleep(SelectionKey.OP_WRITE, remaining(deadlineNs));
      }
    }
  }

  private long remaining(long deadlineNs) throws IOException {
    if (closing) {
      throw new IOException("the server is closing");
    }
    long remainingNs = deadlineNs - clock.nowNs();
    if (remainingNs <= 0) {
      throw new IOException("the client did not finish its handshake in time");
    }
    return remainingNs;
  }

  void close() throws IOException {
    try {
      if (tls != null) {
        tls.end();
      }
    } finally {
      closeChannel();
    }
  }

  private void closeChannel() throws IOException {
    try {
      channel.close();
    } finally {
      selector.close();
    }
  }
}
