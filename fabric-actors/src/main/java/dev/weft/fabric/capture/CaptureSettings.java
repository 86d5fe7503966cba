package dev.weft.fabric.capture;

import com.typesafe.config.Config;

/**
 * Limits of a capture, {@code weft.fabric.capture} in {@code reference.conf}.
 *
 * @param bufferBytes bytes gathered before a write to the file, {@link #MIN_BUFFER_BYTES} to 64 MiB
 * @param maxFileBytes size that the file never exceeds, 1 KiB or more
 */
public record CaptureSettings(int bufferBytes, long maxFileBytes) {
  /** Room for the largest frame with its block. */
  public static final int MIN_BUFFER_BYTES = 131_072;

  private static final int MAX_BUFFER_BYTES = 64 << 20;
  private static final long MIN_FILE_BYTES = 1024;

  public CaptureSettings {
    if (bufferBytes < MIN_BUFFER_BYTES || bufferBytes > MAX_BUFFER_BYTES) {
      throw new IllegalArgumentException("weft.fabric.capture.buffer-size is " + bufferBytes + " bytes, want "
          + MIN_BUFFER_BYTES + " to " + MAX_BUFFER_BYTES);
    }
    if (maxFileBytes < MIN_FILE_BYTES) {
      throw new IllegalArgumentException("weft.fabric.capture.max-file-size is " + maxFileBytes
          + " bytes, want at least " + MIN_FILE_BYTES);
    }
  }

  /** From the block {@code weft.fabric.capture} of {@code config}. */
  public static CaptureSettings from(Config config) {
    Config block = config.getConfig("weft.fabric.capture");
    return new CaptureSettings(
        Math.toIntExact(Math.min(block.getBytes("buffer-size"), Integer.MAX_VALUE)), block.getBytes("max-file-size"));
  }
}
