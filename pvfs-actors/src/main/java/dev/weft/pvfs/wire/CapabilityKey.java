package dev.weft.pvfs.wire;

import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Signs capabilities at the manager and checks them at daemons: HMAC-SHA256, cut to 16 bytes, under a key that clients do not have. On the wire,
 * big-endian: version 1, access, two zero bytes, inode, session, expiry, signature. One thread.
 */
public final class CapabilityKey {
  /** Length of a capability with its signature. */
  public static final int ENCODED_BYTES = 44;
  public static final int KEY_BYTES_MIN = 16;

  private static final String ALGORITHM = "HmacSHA256";
  private static final byte VERSION = 1;
  private static final int MARK_BYTES = 16;
  private static final int MARKED_BYTES = ENCODED_BYTES - MARK_BYTES;

  private final Mac mac;
  private final byte[] marked = new byte[MARKED_BYTES];
  private final byte[] given = new byte[MARK_BYTES];
  private final byte[] mark = new byte[MARK_BYTES];

  /** @param key at least {@link #KEY_BYTES_MIN} unpredictable bytes */
  public CapabilityKey(byte[] key) {
    if (key.length < KEY_BYTES_MIN) {
      throw new IllegalArgumentException("a capability key has " + key.length + " bytes, must have at least " + KEY_BYTES_MIN);
    }
    try {
      mac = Mac.getInstance(ALGORITHM);
      mac.init(new SecretKeySpec(key, ALGORITHM));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("this Java has no " + ALGORITHM, e);
    }
  }

  /** Writes the capability and its signature at the position of {@code out}, which needs {@link #ENCODED_BYTES} of space. */
  public void encode(Capability capability, ByteBuffer out) {
    ByteBuffer.wrap(marked).put(VERSION).put((byte) capability.access()).putShort((short) 0)
        .putLong(capability.inode()).putLong(capability.session()).putLong(capability.expiryNs());
    computeMark();
    out.put(marked).put(mark);
  }

  /**
   * Reads what {@link #encode} has written; moves the position behind it if there are enough bytes.
   *
   * @return null if it was not signed with this key, has expired, or is too short
   */
  public Capability decode(ByteBuffer in, long nowNs) {
    Capability capability = verify(in);
    return capability != null && capability.expiryNs() - nowNs > 0 ? capability : null;
  }

  /** As {@link #decode}, but accepts expired ones. */
  public Capability verify(ByteBuffer in) {
    if (in.remaining() < ENCODED_BYTES) {
      return null;
    }
    in.get(marked).get(given);
    computeMark();
    ByteBuffer fields = ByteBuffer.wrap(marked);
    if (!MessageDigest.isEqual(mark, given) || fields.get() != VERSION) {
      return null;
    }
    int access = fields.get();
    if (fields.getShort() != 0 || (access & ~Capability.ACCESS_MASK) != 0) {
      return null;
    }
    return new Capability(fields.getLong(), access, fields.getLong(), fields.getLong());
  }

  private void computeMark() {
    System.arraycopy(mac.doFinal(marked), 0, mark, 0, MARK_BYTES);
  }
}
