package dev.weft.pvfs.fuse;

import java.time.Duration;

/** How a file system is mounted. Set before the mount, by one thread; each setter checks its argument. */
public final class FuseOptions {
  /** How to ask the kernel for the mount. */
  public enum Mounter {
    /** By mount(2) as root, otherwise by fusermount3. */
    AUTO,
    MOUNT,
    FUSERMOUNT
  }

  private static final int THREADS_MAX = 64;
  private static final int REQUESTS_MAX = 65_536;
  private static final int TRANSFER_BYTES_MIN = 4096;
  private static final int TRANSFER_BYTES_MAX = 1 << 20;

  final String name;
  CacheMode cache = CacheMode.METADATA;
  long entryValidNs = 1_000_000_000L;
  long attributesValidNs = 1_000_000_000L;
  boolean writesBack;
  int threads = Math.clamp(Runtime.getRuntime().availableProcessors(), 2, 16);
  int inFlightMax = 256;
  int buffersMax = 32;
  int waitingLocksMax = 4096;
  int transferBytes = TRANSFER_BYTES_MAX;
  int readAheadBytes = TRANSFER_BYTES_MAX;
  boolean allowsOther;
  boolean checksPermissions = true;
  boolean isReadOnly;
  boolean opensDevices;
  Mounter mounter = Mounter.AUTO;
  long closeTimeoutNs = 5_000_000_000L;

  private FuseOptions(String name) {
    this.name = name;
  }

  /** Makes options for a file system that mount(8) and df(1) show as {@code name}: 1 to 32 letters, digits or hyphens. The type is {@code fuse.name}. */
  public static FuseOptions named(String name) {
    if (!name.matches("[A-Za-z0-9-]{1,32}")) {
      throw new IllegalArgumentException("a mounted file system is named by 1 to 32 letters, digits and hyphens, not '" + name + "'");
    }
    return new FuseOptions(name);
  }

  /** What the kernel caches; names and attributes for one second unless {@link #valid} is called. {@link CacheMode#METADATA} by default. */
  public FuseOptions cache(CacheMode mode) {
    cache = mode;
    return this;
  }

  /** How long the kernel may cache names and attributes if an answer gives no time. */
  public FuseOptions valid(Duration entries, Duration attributes) {
    check("names may be remembered for nanoseconds from 0", entries.toNanos(), 0, Long.MAX_VALUE);
    check("attributes may be remembered for nanoseconds from 0", attributes.toNanos(), 0, Long.MAX_VALUE);
    entryValidNs = entries.toNanos();
    attributesValidNs = attributes.toNanos();
    return this;
  }

  /**
   * Whether the kernel collects writes in its cache and sends them later. Needs {@link CacheMode#FULL}, and no other writer of the files. Off by
   * default.
   */
  public FuseOptions writesBack(boolean isSo) {
    writesBack = isSo;
    return this;
  }

  /** Threads that read requests, 1 to 64, each with its own descriptor; by default the number of processors, 2 to 16. */
  public FuseOptions threads(int count) {
    threads = check("threads of a mount", count, 1, THREADS_MAX);
    return this;
  }

  /** Requests that may be read and not yet answered, besides waiting locks; at least two for each thread; 256 by default. Others wait in the kernel. */
  public FuseOptions inFlight(int requests) {
    inFlightMax = check("requests in flight", requests, 2, REQUESTS_MAX);
    return this;
  }

  /** Buffers of one transfer each, for unanswered writes and directories, besides one for each thread; 32 by default. */
  public FuseOptions buffers(int count) {
    buffersMax = check("buffers", count, 1, REQUESTS_MAX);
    return this;
  }

  /** Maximum number of waiting locks; a further one is answered with ENOLCK. 4096 by default. */
  public FuseOptions waitingLocks(int count) {
    waitingLocksMax = check("waiting locks", count, 0, REQUESTS_MAX);
    return this;
  }

  /** The largest read or write, 4 KiB to 1 MiB, a multiple of 4 KiB; 1 MiB by default. */
  public FuseOptions transfer(int bytes) {
    transferBytes = check("bytes of a transfer", bytes, TRANSFER_BYTES_MIN, TRANSFER_BYTES_MAX);
    if (bytes % TRANSFER_BYTES_MIN != 0) {
      throw new IllegalArgumentException("a transfer has a multiple of " + TRANSFER_BYTES_MIN + " bytes, not " + bytes);
    }
    return this;
  }

  /** How far the kernel reads ahead with {@link CacheMode#FULL}; 1 MiB by default. Beyond the kernel's own 128 KiB only for root. */
  public FuseOptions readAhead(int bytes) {
    readAheadBytes = check("bytes to read ahead", bytes, 0, 1 << 30);
    return this;
  }

  /** Whether other users may use the mount. An ordinary user needs user_allow_other in /etc/fuse.conf. Off by default. */
  public FuseOptions allowOther(boolean isSo) {
    allowsOther = isSo;
    return this;
  }

  /** Whether the kernel checks permissions by owner, group and mode (default_permissions). On by default. */
  public FuseOptions checkPermissions(boolean isSo) {
    checksPermissions = isSo;
    return this;
  }

  /** Whether the mount is read-only. Off by default. */
  public FuseOptions readOnly(boolean isSo) {
    isReadOnly = isSo;
    return this;
  }

  /** Whether devices of the file system can be opened, if root mounts. Off by default: the kernel refuses with EACCES. */
  public FuseOptions openDevices(boolean isSo) {
    opensDevices = isSo;
    return this;
  }

  /** How to mount; {@link Mounter#AUTO} by default. */
  public FuseOptions mounter(Mounter which) {
    mounter = which;
    return this;
  }

  /** How long close waits for the kernel to write its cache back and unmount, before it abandons outstanding requests; 5 s by default. */
  public FuseOptions closeTimeout(Duration timeout) {
    closeTimeoutNs = check("nanoseconds of the time to close", timeout.toNanos(), 0, Long.MAX_VALUE);
    return this;
  }

  /** Checks that the options fit together. */
  void check() {
    if (writesBack && cache != CacheMode.FULL) {
      throw new IllegalArgumentException("writing back needs the cache mode FULL, this is " + cache);
    }
    if (inFlightMax < 2 * threads) {
      throw new IllegalArgumentException(threads + " threads need " + 2 * threads + " requests in flight, not " + inFlightMax);
    }
  }

  private static int check(String what, int value, int min, int max) {
    return (int) check(what, (long) value, min, max);
  }

  private static long check(String what, long value, long min, long max) {
    if (value < min || value > max) {
      throw new IllegalArgumentException(what + " may be " + min + " to " + max + ", not " + value);
    }
    return value;
  }
}
