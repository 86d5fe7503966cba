package dev.weft.launcher.http;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** The token that requests must carry (RFC 6750 section 2.1). Any thread. */
final class BearerToken {
  static final String SCHEME = "Bearer ";

  private final byte[] digest;

  BearerToken(String token) {
    digest = digest(token);
  }

  /** Whether an Authorization header carries the token. The time depends only on the length, and compared digests reveal no prefix. */
  boolean isIn(String header) {
    return header.regionMatches(true, 0, SCHEME, 0, SCHEME.length())
        && MessageDigest.isEqual(digest, digest(header.substring(SCHEME.length()).strip()));
  }

  private static byte[] digest(String text) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }
}
