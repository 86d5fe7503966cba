package dev.weft.pvfs.fuse;

/** What the kernel may remember of a mounted file system. */
public enum CacheMode {
  /** Nothing: each operation asks the file system. Files can be mapped shared where the kernel has FUSE_DIRECT_IO_ALLOW_MMAP (Linux 6.6). */
  NONE,
  /** Names and attributes, for a time; no content. */
  METADATA,
  /** Content too, in the page cache: until the file is opened the next time, unless the file system says that it is still true, or is invalidated. */
  FULL
}
