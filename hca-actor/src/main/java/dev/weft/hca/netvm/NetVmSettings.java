package dev.weft.hca.netvm;

import com.typesafe.config.Config;

/**
 * The keys of {@code weft.hca.netvm} in reference.conf, where each is explained.
 *
 * @param pageBytes size of a page, a power of two from 512 to 1 MiB
 * @param frames pages that fit in memory, 2 to 16,777,216
 * @param spacePages pages of an address space, 1 to 16,777,216
 * @param spacesMax address spaces, 1 to 4096
 * @param redirectPackets packets of one queue pair that may wait for absent pages, 1 to 32,768
 * @param redirectBytesMax what they all may occupy, 4 KiB to 2^40
 */
public record NetVmSettings(int pageBytes, int frames, int spacePages, int spacesMax, int redirectPackets, long redirectBytesMax) {
  public NetVmSettings {
    check("page", pageBytes, 512, 1 << 20);
    if (Integer.bitCount(pageBytes) != 1) {
      throw new IllegalArgumentException("weft.hca.netvm.page is " + pageBytes + ", must be a power of two");
    }
    check("frames", frames, 2, 1 << 24);
    check("address-space-pages", spacePages, 1, 1 << 24);
    check("address-spaces-max", spacesMax, 1, 4096);
    check("redirect-packets", redirectPackets, 1, 1 << 15);
    check("redirect-buffer-max", redirectBytesMax, 4096, 1L << 40);
  }

  private static void check(String key, long value, long low, long high) {
    if (value < low || value > high) {
      throw new IllegalArgumentException("weft.hca.netvm." + key + " is " + value + ", must be from " + low + " to " + high);
    }
  }

  /** Reads {@code weft.hca.netvm} of {@code config}. */
  public static NetVmSettings from(Config config) {
    Config c = config.getConfig("weft.hca.netvm");
    return new NetVmSettings(Math.toIntExact(c.getBytes("page")), c.getInt("frames"), c.getInt("address-space-pages"),
        c.getInt("address-spaces-max"), c.getInt("redirect-packets"), c.getBytes("redirect-buffer-max"));
  }
}
