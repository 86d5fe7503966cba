package dev.weft.tripwire.nic;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Names an aperture and gives rights to it: an RDMA cookie (CLAN, section 3.2). Opaque: {@link #LENGTH} bytes that fit into any message and can be
 * mapped wherever they arrive. Possession gives the rights: the 64-bit key is random for each aperture and each set of rights.
 */
public final class Descriptor {
  /** Size of a descriptor in bytes. */
  public static final int LENGTH = 32;

  private static final int MARK = 0xc1;
  private static final long CHECK = 0x9e3779b97f4a7c15L;

  private final byte[] bytes;

  private Descriptor(byte[] bytes) {
    this.bytes = bytes;
  }

  public static Descriptor of(int lid, int aperture, long lengthBytes, int rights, long key) {
    ByteBuffer b = ByteBuffer.allocate(LENGTH).order(ByteOrder.BIG_ENDIAN);
    b.put((byte) MARK).put((byte) rights).putShort((short) lid).putInt(aperture).putLong(lengthBytes).putLong(key);
    b.putLong(check(b));
    return new Descriptor(b.array());
  }

  /** Checksum that detects damage; not a secret. */
  private static long check(ByteBuffer b) {
    long sum = CHECK;
    for (int i = 0; i < LENGTH - Long.BYTES; i += Long.BYTES) {
      sum = (sum ^ b.getLong(i)) * CHECK;
      sum ^= sum >>> 32;
    }
    return sum;
  }

  /**
   * Reads a descriptor that {@link #toBytes} has written.
   *
   * @throws NicException INVALID if the bytes are not a descriptor, or name an impossible aperture
   */
  public static Descriptor fromBytes(byte[] from, int offset) {
    byte[] copy = Arrays.copyOfRange(from, offset, offset + LENGTH);
    ByteBuffer b = ByteBuffer.wrap(copy);
    if ((copy[0] & 0xff) != MARK || b.getLong(LENGTH - Long.BYTES) != check(b)) {
      throw new NicException(Status.INVALID, "the " + LENGTH + " bytes at " + offset + " are no aperture descriptor");
    }
    Descriptor descriptor = new Descriptor(copy);
    if (descriptor.length() < 1 || descriptor.length() > NetworkAddress.OFFSET_LIMIT) {
      throw new NicException(Status.INVALID, "a descriptor of an aperture of " + descriptor.length() + " bytes, want 1 to "
          + NetworkAddress.OFFSET_LIMIT);
    }
    return descriptor;
  }

  /** A copy of its bytes. */
  public byte[] toBytes() {
    return bytes.clone();
  }

  private ByteBuffer view() {
    return ByteBuffer.wrap(bytes);
  }

  /** LID of the NIC that owns the aperture, or of a group. */
  public int lid() {
    return view().getShort(2) & 0xffff;
  }

  public int aperture() {
    return view().getInt(4);
  }

  /** Length of the aperture in bytes. */
  public long length() {
    return view().getLong(8);
  }

  /** The {@link Rights} that it gives. */
  public int rights() {
    return bytes[1];
  }

  public long key() {
    return view().getLong(16);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Descriptor d && Arrays.equals(bytes, d.bytes);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(bytes);
  }

  /** Leaves the key out. */
  @Override
  public String toString() {
    return "Descriptor[lid=" + lid() + " aperture=" + aperture() + " length=" + length() + " rights=" + rights() + "]";
  }
}
