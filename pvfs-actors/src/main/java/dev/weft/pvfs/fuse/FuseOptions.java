package dev.weft.pvfs.fuse;

import java.time.Duration;

/** How a file system is mounted. Set before the mount, by one thread; each setter checks what it is given. */
public final class FuseOptions {
  /** How the kernel is asked to mount. */
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

  /** Options of a file system that mount(8) and df(1) are to show as {@code name}: 1 to 32 letters, digits or hyphens. The type is {@code fuse.name}. */
  public static FuseOptions named(String name) {
    if (!name.matches("[A-Za-z0-9-]{1,32}")) {
      throw new IllegalArgumentException("a mounted file system is named by 1 to 32 letters, digits and hyphens, not '" + name + "'");
    }
    return new FuseOptions(name);
  }

  /** What the kernel remembers, names and attributes for a second unless {@link #valid} says otherwise. {@link CacheMode#METADATA} by default. */
  public FuseOptions cache(CacheMode mode) {
    cache = mode;
    return this;
  }

  /** How long the kernel may remember names, and attributes, where an answer does not say it. */
  public FuseOptions valid(Duration entries, Duration attributes) {
    check("names may be remembered for nanoseconds from 0", entries.toNanos(), 0, Long.MAX_VALUE);
    check("attributes may be remembered for nanoseconds from 0", attributes.toNanos(), 0, Long.MAX_VALUE);
    entryValidNs = entries.toNanos();
    attributesValidNs = attributes.toNanos();
    return this;
  }

  /**
   * Whether the kernel gathers writes in its cache and sends them later; needs {@link CacheMode#FULL}, and that nobody else writes the files. Off by
   * default.
   */
  public FuseOptions writesBack(boolean isSo) {
    writesBack = isSo;
    return this;
  }

  /** Threads that read requests, 1 to 64, each with a descriptor of its own; by default the processors, 2 to 16. */
  public FuseOptions threads(int count) {
    threads = check("threads of a mount", count, 1, THREADS_MAX);
    return this;
  }

  /** Requests that may be read and not yet answered, beside waiting locks; at least two for each thread; 256 by default. Others wait in the kernel. */
  public FuseOptions inFlight(int requests) {
    inFlightMax = check("requests in flight", requests, 2, REQUESTS_MAX);
    return this;
  }

  /** Buffers of a transfer each, for writes and directories that are not answered yet, beside one for each thread; 32 by default. */
  public FuseOptions buffers(int count) {
    buffersMax = check("buffers", count, 1, REQUESTS_MAX);
    return this;
  }

  /** Locks that may be waited for; one more is answered ENOLCK. 4096 by default. */
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

  /** How far the kernel reads ahead with {@link CacheMode#FULL}; 1 MiB by default. Beyond what the kernel has by itself, 128 KiB, for root only. */
  public FuseOptions readAhead(int bytes) {
    readAheadBytes = check("bytes to read ahead", bytes, 0, 1 << 30);
    return this;
  }

  /** Whether other users than the one who mounts may use it; as an ordinary user, /etc/fuse.conf has to have user_allow_other. Off by default. */
  public FuseOptions allowOther(boolean isSo) {
    allowsOther = isSo;
    return this;
  }

  /** Whether the kernel checks permissions by owner, group and mode (default_permissions). On by default. */
  public FuseOptions checkPermissions(boolean isSo) {
    checksPermissions = isSo;
    return this;
  }

  /** Off by default. */
  public FuseOptions readOnly(boolean isSo) {
    isReadOnly = isSo;
    return this;
  }

  /** Whether devices of the file system can be opened, where root mounts. Off by default: the kernel refuses it with EACCES. */
  public FuseOptions openDevices(boolean isSo) {
    opensDevices = isSo;
    return this;
  }

  /** Who mounts; {@link Mounter#AUTO} by default. */
  public FuseOptions mounter(Mounter which) {
    mounter = which;
    return this;
  }

  /** How long closing waits for the kernel to write its cache back and unmount, before it gives everything outstanding up; 5 s by default. */
  public FuseOptions closeTimeout(Duration timeout) {
    closeTimeoutNs = check("nanoseconds of the time to close", timeout.toNanos(), 0, Long.MAX_VALUE);
    return this;
  }

  /** Whether these go together. */
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
