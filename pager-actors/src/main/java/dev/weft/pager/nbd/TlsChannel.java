package dev.weft.pager.nbd;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLException;

/**
 * TLS over a non-blocking socket, server side. It never waits: a caller that gets 0 must wait for the socket and try again. One
 * thread reads and another may write; the monitor ensures that only one of them uses the engine at a time.
 *
 * <p>A read that returns 0 has consumed all bytes of the socket, so the socket is readable exactly when the channel may be. A message that the
 * engine owes the client after the handshake (a key update) is sent with the next write, as RFC 8446 section 4.6.3 allows.
 */
final class TlsChannel {
  /** The number of records in one read or write of the socket; a record carries at most 16 KiB. */
  private static final int RECORDS = 4;
  private static final ByteBuffer[] NOTHING = {ByteBuffer.allocate(0)};

  private final SocketChannel channel;
  private final SSLEngine engine;
  private final int recordBytes;
  private final int payloadBytes;
  /** Encrypted bytes that were read; always in read mode. */
  private final ByteBuffer netIn;
  /** Encrypted bytes to send; always in read mode. */
  private final ByteBuffer netOut;
  /** The payload of a record that did not fit into the caller's buffer; always in read mode. */
  private final ByteBuffer rest;

  TlsChannel(SocketChannel channel, SSLEngine engine) throws SSLException {
    this.channel = channel;
    this.engine = engine;
    recordBytes = engine.getSession().getPacketBufferSize();
    payloadBytes = engine.getSession().getApplicationBufferSize();
    netIn = ByteBuffer.allocateDirect(RECORDS * recordBytes).limit(0);
    netOut = ByteBuffer.allocateDirect(RECORDS * recordBytes).limit(0);
    rest = ByteBuffer.allocateDirect(payloadBytes).limit(0);
    engine.beginHandshake();
  }

  /** Continues the handshake. Returns 0 when it is done, otherwise the operation of {@link SelectionKey} to wait for. */
  synchronized int handshake() throws IOException {
    while (true) {
      if (netOut.hasRemaining()) {
        channel.write(netOut);
        if (netOut.hasRemaining()) {
          return SelectionKey.OP_WRITE;
        }
      }
      switch (engine.getHandshakeStatus()) {
        case NEED_TASK -> runTasks();
        case NEED_WRAP -> wrap(NOTHING, 0, 1);
        case NEED_UNWRAP, NEED_UNWRAP_AGAIN -> {
          rest.clear();
          SSLEngineResult result;
          try {
            result = engine.unwrap(netIn, rest);
          } finally {
            rest.flip();
          }
          if (result.getStatus() == SSLEngineResult.Status.CLOSED) {
            throw new SSLException("the client gave the TLS handshake up");
          }
          if (result.getStatus() == SSLEngineResult.Status.BUFFER_UNDERFLOW) {
            int count = refill();
            if (count < 0) {
              throw new SSLException("the client left in the middle of the TLS handshake");
            }
            if (count == 0) {
              return SelectionKey.OP_READ;
            }
          }
        }
        case NOT_HANDSHAKING, FINISHED -> {
          return 0;
        }
      }
    }
  }

  /** Reads payload; returns the number of bytes, 0 if none is available now, -1 at the end. */
  synchronized int read(ByteBuffer into) throws IOException {
    int from = into.position();
    takeRest(into);
    while (into.hasRemaining()) {
      boolean fits = into.remaining() >= payloadBytes;
      SSLEngineResult result;
      if (fits) {
        result = engine.unwrap(netIn, into);
      } else {
        rest.clear();
        try {
          result = engine.unwrap(netIn, rest);
        } finally {
          rest.flip();
        }
        takeRest(into);
      }
      int count = into.position() - from;
      switch (result.getStatus()) {
        case OK -> afterHandshake(result);
        case BUFFER_UNDERFLOW -> {
          int more = refill();
          if (more <= 0) {
            return count > 0 ? count : more;
          }
        }
        case CLOSED -> {
          return count > 0 ? count : -1;
        }
        case BUFFER_OVERFLOW -> throw new SSLException("a TLS record is longer than " + payloadBytes + " bytes");
      }
    }
    return into.position() - from;
  }

  private void takeRest(ByteBuffer into) {
    int count = Math.min(rest.remaining(), into.remaining());
    into.put(into.position(), rest, rest.position(), count);
    into.position(into.position() + count);
    rest.position(rest.position() + count);
  }

  /** Handles a TLS message after the handshake. A key update is allowed; a new handshake is not, because it costs the server more than the client. */
  private void afterHandshake(SSLEngineResult result) throws IOException {
    HandshakeStatus status = result.getHandshakeStatus();
    if (status == HandshakeStatus.NOT_HANDSHAKING || status == HandshakeStatus.FINISHED) {
      return;
    }
    if (!engine.getSession().getProtocol().equals("TLSv1.3")) {
      throw new SSLException("the client wants to renegotiate TLS");
    }
    if (status == HandshakeStatus.NEED_TASK) {
      runTasks();
    } else if (status == HandshakeStatus.NEED_WRAP && result.bytesConsumed() == 0) {
      if (netOut.hasRemaining()) {
        throw new SSLException("the client asks for TLS messages and does not take them");
      }
      wrap(NOTHING, 0, 1);
      channel.write(netOut);
    }
  }

  /**
   * Encrypts and sends as much as the socket accepts; returns the number of encrypted bytes sent. Sources advance when they are encrypted, which
   * is before they are sent. Everything is sent when the sources are empty and {@link #hasUnsent} returns false.
   */
  synchronized long write(ByteBuffer[] sources, int first, int count) throws IOException {
    long sent = 0;
    while (true) {
      if (netOut.hasRemaining()) {
        sent += channel.write(netOut);
      }
      if (netOut.hasRemaining() || !hasRemaining(sources, first, count)) {
        return sent;
      }
      wrap(sources, first, count);
    }
  }

  synchronized boolean hasUnsent() {
    return netOut.hasRemaining();
  }

  private static boolean hasRemaining(ByteBuffer[] sources, int first, int count) {
    for (int i = first; i < first + count; i++) {
      if (sources[i].hasRemaining()) {
        return true;
      }
    }
    return false;
  }

  /** Fills the empty {@link #netOut} with records: at least one, and more while there is payload and room. */
  private void wrap(ByteBuffer[] sources, int first, int count) throws IOException {
    netOut.clear();
    try {
      do {
        SSLEngineResult result = engine.wrap(sources, first, count, netOut);
        if (result.getStatus() == SSLEngineResult.Status.CLOSED && result.bytesProduced() == 0) {
          throw new SSLException("TLS has ended");
        }
        if (result.getHandshakeStatus() == HandshakeStatus.NEED_TASK) {
          runTasks();
        } else if (result.bytesProduced() == 0) {
          throw new SSLException("TLS cannot send now: " + result);
        }
      } while (netOut.remaining() >= recordBytes && hasRemaining(sources, first, count));
    } finally {
      netOut.flip();
    }
  }

  /** Reads from the socket; returns the number of bytes, 0 if none are available, -1 at the end. */
  private int refill() throws IOException {
    netIn.compact();
    try {
      return channel.read(netIn);
    } finally {
      netIn.flip();
    }
  }

  private void runTasks() {
    for (Runnable task = engine.getDelegatedTask(); task != null; task = engine.getDelegatedTask()) {
      task.run();
    }
  }

  /** Sends the client a TLS close message or an alert, if the socket accepts it now. */
  synchronized void end() throws IOException {
    if (netOut.hasRemaining()) {
      channel.write(netOut);
    }
    engine.closeOutbound();
    while (!netOut.hasRemaining() && !engine.isOutboundDone()) {
      netOut.clear();
      SSLEngineResult result;
      try {
        result = engine.wrap(NOTHING, 0, 1, netOut);
      } finally {
        netOut.flip();
      }
      if (result.bytesProduced() == 0) {
        return;
      }
      channel.write(netOut);
    }
  }
}
