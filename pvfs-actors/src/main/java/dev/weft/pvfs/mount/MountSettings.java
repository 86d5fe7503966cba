package dev.weft.pvfs.mount;

import com.typesafe.config.Config;
import dev.weft.fabric.Check;
import dev.weft.pvfs.fuse.CacheMode;

/**
 * How a file system is mounted.
 *
 * @param mode what the kernel may remember
 * @param rememberedMax inodes, and as many names, that the mount's process remembers at most
 */
public record MountSettings(CacheMode mode, int rememberedMax) {
  private static final String PATH = "weft.pvfs.client";
  private static final Check.Section LIMITS = new Check.Section(PATH);

  public MountSettings {
    LIMITS.check("remembered-max", rememberedMax, 1, 1 << 22);
  }

  /** From {@code weft.pvfs.client} of a configuration; reference.conf says what each is for. */
  public static MountSettings from(Config config, CacheMode mode) {
    return new MountSettings(mode, config.getConfig(PATH).getInt("remembered-max"));
  }
}
