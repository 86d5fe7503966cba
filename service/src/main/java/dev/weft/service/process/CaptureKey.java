package dev.weft.service.process;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.HexFormat;

/**
 * The key that a client must send to capture the packets of a JVM that asks for no token. It is needed because packets carry the data and the memory
 * keys of the fabric, and every user of the host can connect to a loopback port. Each JVM draws its own key and stores it where only its user can read
 * it. Any thread.
 *
 * @param text the key as stored and sent; empty if this process does not know it
 */
public record CaptureKey(String text) {
  /** The key of a JVM whose key this process does not know. */
  public static final CaptureKey UNKNOWN = new CaptureKey("");

  /** The HTTP header that carries the key. */
  public static final String HEADER = "Weft-Capture-Key";

  private static final int BYTES = 16;

  /** Draws a random key. */
  public static CaptureKey draw() {
    byte[] bytes = new byte[BYTES];
    new SecureRandom().nextBytes(bytes);
    return new CaptureKey(HexFormat.of().formatHex(bytes));
  }

  /** Whether this process knows the key. */
  public boolean isKnown() {
    return !text.isEmpty();
  }

  /** Whether {@code header} has this key; always false for an unknown key. The time depends only on the length of the header. */
  public boolean isIn(String header) {
    return isKnown() && MessageDigest.isEqual(text.getBytes(StandardCharsets.UTF_8), header.strip().getBytes(StandardCharsets.UTF_8));
  }

  /** Omits the key, because records that contain one are printed in logs and messages. */
  @Override
  public String toString() {
    return isKnown() ? "CaptureKey[drawn]" : "CaptureKey[unknown]";
  }
}
