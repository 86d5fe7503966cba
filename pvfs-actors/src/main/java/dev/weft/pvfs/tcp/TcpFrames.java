package dev.weft.pvfs.tcp;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.foreign.ValueLayout;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/**
 * The messages of a connection before its acceptance, read and written by threads that may wait. Each has a length of 4 bytes, little-endian,
 * followed by so many bytes.
 *
 * <pre>
 * client, after the handshake:  2 length of a name, the name ("node service"), the client's hello for the service
 * answer:                       1 status, then for TAKEN the service's hello, for REFUSED the byte of a NoEntry, for ELSEWHERE "host:port"
 * </pre>
 */
final class TcpFrames {
  /** Maximum data of one message in either direction; a part of the protocol's version. */
  static final int DATA_BYTES = 256 << 10;
  static final int LENGTH_BYTES = 4;
  /** Maximum length of these frames. */
  static final int BYTES_MAX = 1024;
  static final byte TAKEN = 0;
  static final byte REFUSED = 1;
  static final byte ELSEWHERE = 2;

  static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  /** A client's request for a service. */
  record Call(String name, byte[] hello) {
    byte[] encode() {
      byte[] text = name.getBytes(StandardCharsets.UTF_8);
      return ByteBuffer.allocate(2 + text.length + hello.length).order(ByteOrder.LITTLE_ENDIAN).putShort((short) text.length).put(text).put(hello).array();
    }

    static Call decode(byte[] frame) throws IOException {
      ByteBuffer in = ByteBuffer.wrap(frame).order(ByteOrder.LITTLE_ENDIAN);
      int length = in.remaining() < 2 ? -1 : in.getShort();
      if (length < 0 || length > in.remaining()) {
        throw new IOException("a call of " + frame.length + " bytes that is none");
      }
      byte[] text = new byte[length];
      in.get(text);
      byte[] hello = new byte[in.remaining()];
      in.get(hello);
      return new Call(new String(text, StandardCharsets.UTF_8), hello);
    }
  }

  private TcpFrames() {}

  /** Writes one array, since each write is a packet. */
  static void write(Socket to, byte[] frame) throws IOException {
    OutputStream out = to.getOutputStream();
    out.write(ByteBuffer.allocate(LENGTH_BYTES + frame.length).order(ByteOrder.LITTLE_ENDIAN).putInt(frame.length).put(frame).array());
  }

  static byte[] read(Socket from, long deadlineNs) throws IOException {
    int length = ByteBuffer.wrap(readFully(from, LENGTH_BYTES, deadlineNs)).order(ByteOrder.LITTLE_ENDIAN).getInt();
    if (length < 0 || length > BYTES_MAX) {
      throw new IOException("a frame of " + Integer.toUnsignedLong(length) + " bytes before the first message, the longest has " + BYTES_MAX);
    }
    return readFully(from, length, deadlineNs);
  }

  /**
   * Reads so many bytes.
   *
   * @param deadlineNs of {@link System#nanoTime}
   * @throws SocketTimeoutException if they have not all arrived by then
   */
  static byte[] readFully(Socket from, int bytes, long deadlineNs) throws IOException {
    byte[] to = new byte[bytes];
    InputStream in = from.getInputStream();
    for (int done = 0; done < bytes;) {
      long leftMs = (deadlineNs - System.nanoTime()) / 1_000_000;
      if (leftMs <= 0) {
        throw new SocketTimeoutException("it took too long");
      }
      from.setSoTimeout((int) Math.min(leftMs, Integer.MAX_VALUE));
      int read = in.read(to, done, bytes - done);
      if (read < 0) {
        throw new EOFException("the other side has closed it");
      }
      done += read;
    }
    return to;
  }
}
