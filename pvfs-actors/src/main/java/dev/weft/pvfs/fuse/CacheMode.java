package dev.weft.pvfs.fuse;

/** What the kernel may cache of a mounted file system. */
public enum CacheMode {
  /** Nothing: each operation asks the file system. Files can be mapped shared if the kernel has FUSE_DIRECT_IO_ALLOW_MMAP (Linux 6.6). */
  NONE,
  /** Names and attributes, for a limited time; no content. */
  METADATA,
  /** Also content, in the page cache. The next open drops it, unless the file system says that it is still valid; an invalidation drops it, too. */
  FULL
}
