package dev.weft.hca.verbs;

import dev.weft.fabric.packet.RoceV2;

/**
 * A global identifier, as {@code ibv_gid}: 128 bits, on RoCEv2 an IPv6 address. For LID 0xHHLL, the GID of a port is ::ffff:10.87.HH.LL, and the GID
 * of a multicast group is ::ffff:239.87.HH.LL. Captures show these addresses.
 *
 * @param subnetPrefix upper 64 bits
 * @param interfaceId lower 64 bits
 */
public record Gid(long subnetPrefix, long interfaceId) {
  private static final long IPV4_MAPPED = 0xffffL << 32;

  /** Returns the GID of a LID. */
  public static Gid ofLid(int lid) {
    return new Gid(0, IPV4_MAPPED | Integer.toUnsignedLong(RoceV2.ipv4Address(lid)));
  }

  /**
   * Returns the LID of this GID.
   *
   * @throws VerbsException EINVAL if it is not a GID of the fabric
   */
  public int lid() {
    int lid = (int) interfaceId & 0xffff;
    if (lid == 0 || lid == 0xffff || !equals(ofLid(lid))) {
      throw new VerbsException(VerbsException.Errno.EINVAL, this + " is not a GID of the fabric; those are ::ffff:10.87.h.l");
    }
    return lid;
  }

  /** Returns the GID in the notation of IPv6 addresses. */
  @Override
  public String toString() {
    if (subnetPrefix == 0 && interfaceId >>> 32 == 0xffff) {
      return "::ffff:" + (interfaceId >>> 24 & 0xff) + "." + (interfaceId >>> 16 & 0xff) + "." + (interfaceId >>> 8 & 0xff) + "."
          + (interfaceId & 0xff);
    }
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < 8; i++) {
      long half = i < 4 ? subnetPrefix : interfaceId;
      text.append(i == 0 ? "" : ":").append(Long.toHexString(half >>> 48 - 16 * (i & 3) & 0xffff));
    }
    return text.toString();
  }
}
