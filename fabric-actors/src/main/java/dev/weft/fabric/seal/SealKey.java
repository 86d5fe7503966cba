package dev.weft.fabric.seal;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import java.util.HexFormat;
import javax.crypto.KDF;
import javax.crypto.SecretKey;
import javax.crypto.spec.HKDFParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/** The key of a fabric for its datagrams, from which the keys of the senders are derived (HKDF-SHA256). It is never printed. Any thread. */
public final class SealKey {
  /** Length of the key in bytes. */
  public static final int LENGTH = 32;

  private static final int ID_LENGTH = 16;

  private final SecretKey root;

  /** @throws IllegalArgumentException if the key has another length */
  public SealKey(byte[] key) {
    if (key.length != LENGTH) {
      throw new IllegalArgumentException("a key has " + LENGTH + " bytes, not " + key.length);
    }
    root = new SecretKeySpec(key.clone(), "HKDF");
  }

  /** The key's bytes, for the media driver's standard input. */
  public byte[] bytes() {
    return root.getEncoded();
  }

  /** A text that tells keys apart and does not help to find one. */
  public String id() {
    return HexFormat.of().formatHex(Arrays.copyOf(derive("id", new byte[0]), ID_LENGTH));
  }

  /** Returns the key for greetings, which is the same for all senders. */
  SecretKey greetings() {
    return new SecretKeySpec(derive("greeting", new byte[0]), "AES");
  }

  /** Returns the key with which a sender seals data for one receiving process. */
  SecretKey data(long sender, long epoch, int generation) {
    return new SecretKeySpec(derive("data", ByteBuffer.allocate(20).putLong(sender).putLong(epoch).putInt(generation).array()), "AES");
  }

  private byte[] derive(String purpose, byte[] more) {
    byte[] label = ("weft seal 1 " + purpose + " ").getBytes(StandardCharsets.US_ASCII);
    byte[] info = Arrays.copyOf(label, label.length + more.length);
    System.arraycopy(more, 0, info, label.length, more.length);
    try {
      return KDF.getInstance("HKDF-SHA256").deriveData(HKDFParameterSpec.expandOnly(root, info, LENGTH));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK from 25 has HKDF-SHA256", e);
    }
  }
}
