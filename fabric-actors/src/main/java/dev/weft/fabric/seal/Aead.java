package dev.weft.fabric.seal;

import java.security.GeneralSecurityException;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.SecretKey;
import javax.crypto.spec.GCMParameterSpec;

/** AES-256-GCM over byte arrays. One thread. */
final class Aead {
  /** Length of the tag in bytes. */
  static final int TAG = 16;

  private final Cipher cipher;

  Aead() {
    try {
      cipher = Cipher.getInstance("AES/GCM/NoPadding");
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK has AES-GCM", e);
    }
  }

  /**
   * Encrypts {@code length} bytes at the start of {@code plain} to {@code sealed} from {@code offset} on; the tag follows.
   *
   * @param header authenticated, not encrypted; its first {@code offset} bytes are copied before the ciphertext
   * @param iv must be new for this key
   */
  void seal(SecretKey key, byte[] iv, byte[] header, byte[] plain, int length, byte[] sealed, int offset) {
    try {
      cipher.init(Cipher.ENCRYPT_MODE, key, new GCMParameterSpec(8 * TAG, iv));
      cipher.updateAAD(header);
      System.arraycopy(header, 0, sealed, 0, offset);
      cipher.doFinal(plain, 0, length, sealed, offset);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("a datagram cannot be encrypted", e);
    }
  }

  /** Decrypts; returns the length of the plain text, or -1 if the text or the header is not authentic. */
  int open(SecretKey key, byte[] iv, byte[] header, byte[] sealed, int offset, int length, byte[] plain) {
    try {
      cipher.init(Cipher.DECRYPT_MODE, key, new GCMParameterSpec(8 * TAG, iv));
      cipher.updateAAD(header);
      return cipher.doFinal(sealed, offset, length, plain, 0);
    } catch (AEADBadTagException forged) {
      return -1;
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("a datagram cannot be decrypted", e);
    }
  }
}
