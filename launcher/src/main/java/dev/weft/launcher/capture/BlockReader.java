package dev.weft.launcher.capture;

import dev.weft.fabric.capture.Pcapng;
import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;

/** Reads the blocks of a pcapng section that is still being written. One thread at a time. */
final class BlockReader implements AutoCloseable {
  private static final int BUFFER_BYTES = 256 << 10;
  private static final int HEAD_LENGTH = 8;
  private static final int BLOCK_LENGTH_MIN = 12;

  private final InputStream in;

  BlockReader(InputStream in) {
    this.in = new BufferedInputStream(in, BUFFER_BYTES);
  }

  /** Returns the next block, or null if the section ends properly before it. */
  byte[] next() throws IOException {
    byte[] head = in.readNBytes(HEAD_LENGTH);
    if (head.length == 0) {
      return null;
    }
    int length = head.length == HEAD_LENGTH ? Pcapng.wrap(head).getInt(Integer.BYTES) : 0;
    if (head.length == HEAD_LENGTH && (length < BLOCK_LENGTH_MIN || length > Pcapng.BLOCK_LENGTH_MAX || (length & 3) != 0)) {
      throw new IOException("the answer is not a capture of Weft: it has a block of " + Integer.toUnsignedString(length) + " bytes");
    }
    byte[] block = Arrays.copyOf(head, Math.max(length, HEAD_LENGTH));
    if (head.length < HEAD_LENGTH || in.readNBytes(block, HEAD_LENGTH, length - HEAD_LENGTH) < length - HEAD_LENGTH) {
      throw new EOFException("the connection ended in the middle of a packet");
    }
    return block;
  }

  /** Returns the next block, which must have a type. */
  byte[] next(int type) throws IOException {
    byte[] block = next();
    if (block == null || typeOf(block) != type) {
      throw new IOException("the answer is not a capture of Weft: its first block does not belong to a capture");
    }
    return block;
  }

  static int typeOf(byte[] block) {
    return Pcapng.wrap(block).getInt(0);
  }

  /** Whether bytes have come that {@link #next} has not returned yet. */
  boolean hasMore() throws IOException {
    return in.available() > 0;
  }

  @Override
  public void close() throws IOException {
    in.close();
  }
}
