package dev.weft.pvfs.mount;

import com.typesafe.config.Config;
import dev.weft.fabric.Check;
import dev.weft.pvfs.fuse.CacheMode;

/**
 * Settings of a mount.
 *
 * @param mode what the kernel may cache
 * @param rememberedMax maximum number of inodes, and of names, in the cache of the mount's process
 */
public record MountSettings(CacheMode mode, int rememberedMax) {
  private static final String PATH = "weft.pvfs.client";
  private static final Check.Section LIMITS = new Check.Section(PATH);

  public MountSettings {
    LIMITS.check("remembered-max", rememberedMax, 1, 1 << 22);
  }

  /** Reads {@code weft.pvfs.client} of a configuration; reference.conf explains each setting. */
  public static MountSettings from(Config config, CacheMode mode) {
    return new MountSettings(mode, config.getConfig(PATH).getInt("remembered-max"));
  }
}
