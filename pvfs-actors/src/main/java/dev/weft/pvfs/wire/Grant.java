package dev.weft.pvfs.wire;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * A capability as the manager gives it to a client.
 *
 * @param capability as {@link CapabilityKey} writes it; a client shows it unchanged and cannot make one
 * @param lifetimeNs how long it is valid from now on
 */
public record Grant(byte[] capability, long lifetimeNs) {
  private static final int BYTES = CapabilityKey.ENCODED_BYTES + Long.BYTES;

  byte[] encode() {
    return ByteBuffer.allocate(BYTES).put(capability).putLong(lifetimeNs).array();
  }

  static Grant decode(ByteBuffer from) {
    byte[] bytes = new byte[BYTES];
    from.get(bytes);
    return new Grant(Arrays.copyOf(bytes, CapabilityKey.ENCODED_BYTES), ByteBuffer.wrap(bytes).getLong(CapabilityKey.ENCODED_BYTES));
  }
}
