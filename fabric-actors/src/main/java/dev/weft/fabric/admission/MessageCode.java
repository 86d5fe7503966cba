package dev.weft.fabric.admission;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import javax.crypto.KDF;
import javax.crypto.Mac;
import javax.crypto.SecretKey;
import javax.crypto.spec.HKDFParameterSpec;

/** HMAC-SHA256 with one key. Any thread. */
public final class MessageCode {
  /** Of a code, in bytes. */
  public static final int LENGTH = 32;

  private static final String ALGORITHM = "HmacSHA256";

  private final SecretKey key;

  private MessageCode(SecretKey key) {
    this.key = key;
  }

  /** With the key of {@code purpose} that HKDF-SHA256 makes of a secret and a salt. */
  static MessageCode derive(byte[] secret, byte[] salt, String purpose) {
    try {
      return new MessageCode(KDF.getInstance("HKDF-SHA256").deriveKey(ALGORITHM, HKDFParameterSpec.ofExtract().addIKM(secret).addSalt(salt)
          .thenExpand(purpose.getBytes(StandardCharsets.US_ASCII), LENGTH)));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK from 25 has HKDF-SHA256", e);
    }
  }

  /** The code of {@code parts}, one after the other: only the last may be of any length, or the parts must tell theirs. */
  public byte[] of(byte[]... parts) {
    try {
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(key);
      for (byte[] part : parts) {
        mac.update(part);
      }
      return mac.doFinal();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK has " + ALGORITHM, e);
    }
  }

  /** Whether {@code code} is that of {@code parts}; takes as long whichever byte differs. */
  public boolean matches(byte[] code, byte[]... parts) {
    return MessageDigest.isEqual(of(parts), code);
  }
}
