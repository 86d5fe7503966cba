package dev.weft.pvfs.fuse;

import static dev.weft.pvfs.Errno.EPROTO;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * The result of the negotiation between kernel and file system: {@code struct fuse_init_in} and {@code fuse_init_out}.
 *
 * @param minor version in use
 * @param flags that both sides have
 * @param offered flags of the kernel
 */
record Negotiation(int minor, long flags, long offered, int transferBytes, int readAheadBytes) {
  /** Pages that the kernel sends at once without FUSE_MAX_PAGES. */
  private static final int USUAL_PAGES = 32;
  private static final int BACKGROUND_MAX = 64;
  private static final int CONGESTED = 48;

  static Negotiation of(int major, FuseRequest in, FuseOptions options, FuseFileSystem files) {
    int minor = in.int32();
    if (major < Protocol.MAJOR || minor < Protocol.MINOR_MIN) {
      throw new RefusedRequest(EPROTO, "the kernel speaks FUSE " + major + "." + minor + ", 7." + Protocol.MINOR_MIN
          + " (Linux 5.4) or later is needed");
    }
    int readAhead = in.int32();
    long offered = Integer.toUnsignedLong(in.int32());
    if ((offered & Protocol.INIT_EXT) != 0 && in.remaining() >= Integer.BYTES) {
      offered |= Integer.toUnsignedLong(in.int32()) << Integer.SIZE;
    }
    int transfer = (offered & Protocol.MAX_PAGES) != 0 ? options.transferBytes : Math.min(options.transferBytes, USUAL_PAGES * LinuxCalls.pageBytes());
    return new Negotiation(Math.min(minor, Protocol.MINOR_MAX), offered & wanted(options, files), offered, transfer,
        Math.max(Math.min(options.readAheadBytes, readAhead), 0));
  }

  private static long wanted(FuseOptions options, FuseFileSystem files) {
    long flags = Protocol.ASYNC_READ | Protocol.BIG_WRITES | Protocol.AUTO_INVAL_DATA | Protocol.DO_READDIRPLUS
        | Protocol.READDIRPLUS_AUTO | Protocol.ASYNC_DIO | Protocol.PARALLEL_DIROPS | Protocol.MAX_PAGES | Protocol.INIT_EXT
        | Protocol.DIRECT_IO_ALLOW_MMAP;
    flags |= files.hasLocks() ? Protocol.POSIX_LOCKS | Protocol.FLOCK_LOCKS : 0;
    flags |= files.truncatesAtOpen() ? Protocol.ATOMIC_O_TRUNC : 0;
    flags |= files.dropsPrivilege() ? Protocol.HANDLE_KILLPRIV_V2 : 0;
    flags |= options.writesBack ? Protocol.WRITEBACK_CACHE : 0;
    flags |= options.cache == CacheMode.FULL ? Protocol.CACHE_SYMLINKS : 0;
    return flags;
  }

  boolean has(long flag) {
    return (flags & flag) != 0;
  }

  /** Writes the answer. */
  void encode(MemorySegment out) {
    out.asSlice(0, Protocol.INIT_OUT_BYTES).fill((byte) 0);
    out.set(ValueLayout.JAVA_INT, 0, Protocol.MAJOR);
    out.set(ValueLayout.JAVA_INT, 4, minor);
    out.set(ValueLayout.JAVA_INT, 8, readAheadBytes);
    out.set(ValueLayout.JAVA_INT, 12, (int) flags);
    out.set(ValueLayout.JAVA_SHORT, 16, (short) BACKGROUND_MAX);
    out.set(ValueLayout.JAVA_SHORT, 18, (short) CONGESTED);
    out.set(ValueLayout.JAVA_INT, 20, transferBytes);
    out.set(ValueLayout.JAVA_INT, 24, 1); // Times have a resolution of one nanosecond.
    out.set(ValueLayout.JAVA_SHORT, 28, (short) Math.ceilDiv(transferBytes, LinuxCalls.pageBytes()));
    out.set(ValueLayout.JAVA_INT, 32, (int) (flags >>> Integer.SIZE));
  }
}
