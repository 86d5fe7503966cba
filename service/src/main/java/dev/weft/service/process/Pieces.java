package dev.weft.service.process;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.charset.StandardCharsets;

/**
 * The format of binary data on a connection that also carries lines. A line {@code >LENGTH} precedes each piece, and a line with a dot follows the last
 * one, so that the receiver can tell a killed sender from one that has sent everything.
 */
final class Pieces {
  private static final char PIECE = '>';
  private static final String END = ".";
  private static final int MOVED_BYTES = 1 << 18;
  private static final int LINE_BYTES_MAX = 32;

  private Pieces() {}

  /** Sends pieces. One thread. */
  record Sender(WritableByteChannel to) implements WritableByteChannel {
    @Override
    public int write(ByteBuffer bytes) throws IOException {
      int length = bytes.remaining();
      if (length > 0) {
        send(ByteBuffer.wrap((PIECE + Integer.toString(length) + "\n").getBytes(StandardCharsets.US_ASCII)));
        send(bytes);
      }
      return length;
    }

    private void send(ByteBuffer bytes) throws IOException {
      while (bytes.hasRemaining()) {
        to.write(bytes);
      }
    }

    /** Marks the end of the data. */
    void end() throws IOException {
      send(ByteBuffer.wrap((END + "\n").getBytes(StandardCharsets.US_ASCII)));
    }

    @Override
    public boolean isOpen() {
      return to.isOpen();
    }

    @Override
    public void close() throws IOException {
      to.close();
    }
  }

  /** Reads the data of a {@link Sender} up to its end mark. One thread. */
  static final class Receiver implements ReadableByteChannel {
    private final InputStream from;
    /** Bytes of the current piece that are still to be read; negative after the end mark. */
    private long left;

    Receiver(InputStream from) {
      this.from = from;
    }

    @Override
    public int read(ByteBuffer to) throws IOException {
      if (left == 0) {
        String line = line(from);
        if (line == null) {
          throw new EOFException("the command ended before it had sent everything");
        }
        left = line.equals(END) ? -1 : lengthOf(line);
      }
      if (left < 0) {
        return -1;
      }
      byte[] bytes = new byte[(int) Math.min(Math.min(left, to.remaining()), MOVED_BYTES)];
      int count = from.read(bytes);
      if (count < 0) {
        throw new EOFException("the command ended before it had sent everything");
      }
      to.put(bytes, 0, count);
      left -= count;
      return count;
    }

    @Override
    public boolean isOpen() {
      return true;
    }

    @Override
    public void close() throws IOException {
      from.close();
    }
  }

  /** Copies one piece of {@code length} bytes to {@code to}. */
  static void move(InputStream from, int length, WritableByteChannel to) throws IOException {
    byte[] bytes = new byte[Math.min(length, MOVED_BYTES)];
    for (int left = length; left > 0;) {
      int count = from.read(bytes, 0, Math.min(left, bytes.length));
      if (count < 0) {
        throw new EOFException("the fabric ended before it had sent everything");
      }
      ByteBuffer some = ByteBuffer.wrap(bytes, 0, count);
      while (some.hasRemaining()) {
        to.write(some);
      }
      left -= count;
    }
  }

  /** Returns the length of the piece that a line announces. */
  static int lengthOf(String line) throws IOException {
    if (!line.matches(PIECE + "[1-9][0-9]{0,8}")) {
      throw new IOException("a line that announces no piece: " + line);
    }
    return Integer.parseInt(line.substring(1));
  }

  /** Whether a line announces a piece. */
  static boolean isPiece(String line) {
    return !line.isEmpty() && line.charAt(0) == PIECE;
  }

  /** Reads a line and returns it without the line end; null if the stream ends before the line does. */
  static byte[] lineBytes(InputStream from, int bytesMax) throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    for (int one = from.read(); one != '\n'; one = from.read()) {
      if (one < 0) {
        return null;
      }
      if (line.size() == bytesMax) {
        throw new IOException("a line of more than " + bytesMax + " bytes");
      }
      line.write(one);
    }
    return line.toByteArray();
  }

  private static String line(InputStream from) throws IOException {
    byte[] line = lineBytes(from, LINE_BYTES_MAX);
    return line == null ? null : new String(line, StandardCharsets.UTF_8);
  }
}
