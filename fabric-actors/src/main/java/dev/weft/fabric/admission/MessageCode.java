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
  /** Length of a code in bytes. */
  public static final int LENGTH = 32;

  private static final String ALGORITHM = "HmacSHA256";

  private final SecretKey key;

  private MessageCode(SecretKey key) {
    this.key = key;
  }

  /** Uses the key that HKDF-SHA256 derives from a secret and a salt for {@code purpose}. */
  static MessageCode derive(byte[] secret, byte[] salt, String purpose) {
    try {
      return new MessageCode(KDF.getInstance("HKDF-SHA256").deriveKey(ALGORITHM, HKDFParameterSpec.ofExtract().addIKM(secret).addSalt(salt)
          .thenExpand(purpose.getBytes(StandardCharsets.US_ASCII), LENGTH)));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK from 25 has HKDF-SHA256", e);
    }
  }

  /** Returns the code of the concatenated {@code parts}. All parts but the last must have a fixed length, or contain their length. */
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

  /** Whether {@code code} is the code of {@code parts}; compares in constant time. */
  public boolean matches(byte[] code, byte[]... parts) {
    return MessageDigest.isEqual(of(parts), code);
  }
}
