package dev.weft.pvfs.manager;

import java.security.SecureRandom;
import java.util.Arrays;
import java.util.HexFormat;

/**
 * Identifies the file system of a store, and holds a secret that only its manager and daemons know. Made once, with the file system.
 *
 * @param id hexadecimal, 32 digits
 * @param daemons number of I/O daemons that files have been striped over from the beginning
 * @param key that signs capabilities
 */
public record FileSystemLabel(String id, int daemons, byte[] key) {
  static final int ID_BYTES = 16;
  static final int KEY_BYTES = 32;

  public FileSystemLabel {
    if (!id.matches("[0-9a-f]{32}") || daemons < 1 || key.length != KEY_BYTES) {
      throw new IllegalArgumentException("a label with id '" + id + "', " + daemons + " daemons and a key of " + key.length
          + " bytes, must be 32 hexadecimal digits, at least 1 and " + KEY_BYTES);
    }
    key = key.clone();
  }

  /** Makes the label of a new file system. */
  public static FileSystemLabel random(int daemons) {
    SecureRandom random = new SecureRandom();
    byte[] id = new byte[ID_BYTES];
    byte[] key = new byte[KEY_BYTES];
    random.nextBytes(id);
    random.nextBytes(key);
    return new FileSystemLabel(HexFormat.of().formatHex(id), daemons, key);
  }

  @Override
  public byte[] key() {
    return key.clone();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof FileSystemLabel label && label.id.equals(id) && label.daemons == daemons && Arrays.equals(label.key, key);
  }

  @Override
  public int hashCode() {
    return id.hashCode();
  }

  /** Omits the key. */
  @Override
  public String toString() {
    return "file system " + id + " of " + daemons + " I/O daemons";
  }
}
