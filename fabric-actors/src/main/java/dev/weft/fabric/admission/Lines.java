package dev.weft.fabric.admission;

import dev.weft.fabric.time.RealClock;
import java.io.EOFException;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.concurrent.TimeUnit;

/** Sends and receives messages of fixed length over a connection whose total time is limited. One thread. */
final class Lines {
  static final int PATIENCE_MS = 5_000;

  private final Socket socket;
  private final long endNs = RealClock.INSTANCE.nowNs() + TimeUnit.MILLISECONDS.toNanos(PATIENCE_MS);

  Lines(Socket socket) {
    this.socket = socket;
  }

  void write(byte[] message) throws IOException {
    socket.getOutputStream().write(message);
    socket.getOutputStream().flush();
  }

  byte[] read(int length) throws IOException {
    byte[] message = new byte[length];
    for (int at = 0; at < length;) {
      long leftMs = TimeUnit.NANOSECONDS.toMillis(endNs - RealClock.INSTANCE.nowNs());
      if (leftMs <= 0) {
        throw new SocketTimeoutException("no complete answer within " + PATIENCE_MS + " ms");
      }
      socket.setSoTimeout((int) leftMs);
      int got = socket.getInputStream().read(message, at, length - at);
      if (got < 0) {
        throw new EOFException("the connection was closed in the middle of a message");
      }
      at += got;
    }
    return message;
  }
}
