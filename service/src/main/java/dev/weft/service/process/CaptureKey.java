package dev.weft.service.process;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.HexFormat;

/**
 * What who captures a JVM has to show where no token is asked for: packets carry the data and the memory keys of the fabric, and a port of loopback is
 * open to every user of the host. Drawn by each JVM, and kept where only the user who started it can read. Any thread.
 *
 * @param text as it is kept and shown; empty if it is not known
 */
public record CaptureKey(String text) {
  /** Of a JVM whose key is not known here. */
  public static final CaptureKey UNKNOWN = new CaptureKey("");

  /** Header that it is shown in. */
  public static final String HEADER = "Weft-Capture-Key";

  private static final int BYTES = 16;

  /** A new one. */
  public static CaptureKey draw() {
    byte[] bytes = new byte[BYTES];
    new SecureRandom().nextBytes(bytes);
    return new CaptureKey(HexFormat.of().formatHex(bytes));
  }

  /** Whether it is known here. */
  public boolean isKnown() {
    return !text.isEmpty();
  }

  /** Takes the same time for whatever is shown that is as long. An unknown one is in none. */
  public boolean isIn(String header) {
    return isKnown() && MessageDigest.isEqual(text.getBytes(StandardCharsets.UTF_8), header.strip().getBytes(StandardCharsets.UTF_8));
  }

  /** Without the text: records that have a key come to logs and messages. */
  @Override
  public String toString() {
    return isKnown() ? "CaptureKey[drawn]" : "CaptureKey[unknown]";
  }
}
