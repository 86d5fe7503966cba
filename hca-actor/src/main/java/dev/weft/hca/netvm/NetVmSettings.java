package dev.weft.hca.netvm;

import com.typesafe.config.Config;
import dev.weft.fabric.Check;

/**
 * The keys of {@code weft.hca.netvm}; reference.conf explains them.
 *
 * @param pageBytes size of a page, a power of two from 512 to 1 MiB
 * @param frames number of pages that fit in memory, 2 to 16,777,216
 * @param spacePages number of pages of an address space, 1 to 16,777,216
 * @param spacesMax largest number of address spaces, 1 to 4096
 * @param redirectPackets number of packets of one queue pair that may wait for absent pages, 1 to 32,768
 * @param redirectBytesMax size of the redirect buffer for all queue pairs, 4 KiB to 2^40 bytes
 */
public record NetVmSettings(int pageBytes, int frames, int spacePages, int spacesMax, int redirectPackets, long redirectBytesMax) {
  private static final Check.Section LIMITS = new Check.Section("weft.hca.netvm");

  public NetVmSettings {
    LIMITS.check("page", pageBytes, 512, 1 << 20);
    if (Integer.bitCount(pageBytes) != 1) {
      throw new IllegalArgumentException("weft.hca.netvm.page is " + pageBytes + ", must be a power of two");
    }
    LIMITS.check("frames", frames, 2, 1 << 24);
    LIMITS.check("address-space-pages", spacePages, 1, 1 << 24);
    LIMITS.check("address-spaces-max", spacesMax, 1, 4096);
    LIMITS.check("redirect-packets", redirectPackets, 1, 1 << 15);
    LIMITS.check("redirect-buffer-max", redirectBytesMax, 4096, 1L << 40);
  }

  /** Size of all frames in bytes. */
  public long frameBytes() {
    return (long) frames * pageBytes;
  }

  /** Reads {@code weft.hca.netvm} of {@code config}. */
  public static NetVmSettings from(Config config) {
    Config c = config.getConfig("weft.hca.netvm");
    return new NetVmSettings(Check.bytes(c, "page"), c.getInt("frames"), c.getInt("address-space-pages"),
        c.getInt("address-spaces-max"), c.getInt("redirect-packets"), c.getBytes("redirect-buffer-max"));
  }
}
