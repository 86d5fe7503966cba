package dev.weft.fabric.capture;

import com.typesafe.config.Config;

/**
 * Limits of a capture: {@code weft.fabric.capture} in {@code reference.conf}.
 *
 * @param bufferBytes bytes collected before a write to the file, {@link #MIN_BUFFER_BYTES} to 64 MiB
 * @param maxFileBytes size that the file never exceeds, 1 KiB or more
 * @param queueBytes bytes of the queue between the hardware thread and the reader of a live capture, {@link #MIN_QUEUE_BYTES} to 256 MiB, a
 *     power of two
 */
public record CaptureSettings(int bufferBytes, long maxFileBytes, int queueBytes) {
  /** Room for the largest frame with its block. */
  public static final int MIN_BUFFER_BYTES = 131_072;

  /** The queue accepts messages up to an eighth of its size; the longest message is half of that. */
  public static final int MIN_QUEUE_BYTES = 1 << 20;

  private static final int MAX_QUEUE_BYTES = 256 << 20;
  private static final int MAX_BUFFER_BYTES = 64 << 20;
  private static final long MIN_FILE_BYTES = 1024;

  public CaptureSettings {
    if (bufferBytes < MIN_BUFFER_BYTES || bufferBytes > MAX_BUFFER_BYTES) {
      throw new IllegalArgumentException("weft.fabric.capture.buffer-size is " + bufferBytes + " bytes, want "
          + MIN_BUFFER_BYTES + " to " + MAX_BUFFER_BYTES);
    }
    if (maxFileBytes < MIN_FILE_BYTES) {
      throw new IllegalArgumentException("weft.fabric.capture.max-file-size is " + maxFileBytes
          + " bytes, must be at least " + MIN_FILE_BYTES);
    }
    if (queueBytes < MIN_QUEUE_BYTES || queueBytes > MAX_QUEUE_BYTES || Integer.bitCount(queueBytes) != 1) {
      throw new IllegalArgumentException("weft.fabric.capture.queue-size is " + queueBytes + " bytes, must be a power of two from "
          + MIN_QUEUE_BYTES + " to " + MAX_QUEUE_BYTES);
    }
  }

  /** Reads the block {@code weft.fabric.capture} of {@code config}. */
  public static CaptureSettings from(Config config) {
    Config block = config.getConfig("weft.fabric.capture");
    return new CaptureSettings(bytes(block, "buffer-size"), block.getBytes("max-file-size"), bytes(block, "queue-size"));
  }

  private static int bytes(Config block, String key) {
    return Math.toIntExact(Math.min(block.getBytes(key), Integer.MAX_VALUE));
  }
}
