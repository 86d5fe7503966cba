package dev.weft.pvfs.fuse;

import java.lang.foreign.MemorySegment;

/**
 * The answer to an operation. Answer once, at once or later, on any thread. A second answer throws {@link IllegalStateException}; an answer after the
 * close of the mount is dropped, since the kernel already has one. Without an answer, the calling process waits until the mount is closed.
 */
public interface FuseReply {
  /** User of the calling process. */
  int uid();

  /** Group of the calling process. */
  int gid();

  /** The calling process; 0 if the kernel acts for itself, such as for pages that it writes back. */
  int pid();

  /**
   * Answers with an error.
   *
   * @param errno a positive error number of Linux, at most 511
   */
  void fail(int errno);

  /**
   * Sets an action for the case that the calling process is interrupted while it waits; runs it at once if that has happened. The action runs on a
   * thread of the mount, must not block, and may come too late. It usually ends the operation with EINTR, but need not. Only the last action counts.
   * It also runs when the mount is closed, on the closing thread, after the request has been answered.
   */
  void onInterrupt(Runnable action);

  /**
   * Whether no other thread of the mount reads requests now: further requests wait until this method returns. A file system that can should then
   * answer later, on another thread.
   */
  default boolean isLastReader() {
    return false;
  }

  /**
   * Whether several other requests are under way, not counting waiting locks: a thread that waits for this one would compete with many others for a
   * processor. A file system that can should then answer later, too.
   */
  default boolean isOneOfMany() {
    return false;
  }

  /**
   * Runs a task that may wait long and then answers, on a separate thread. For the {@linkplain #isLastReader last reader}: while it waits, no thread
   * reads requests or the interrupts that could end the wait. Exceptions of the task are answered with EIO.
   *
   * @return false if the maximum number of tasks waits; then nothing was run, and the caller must answer with an error
   */
  default boolean runLater(Runnable task) {
    return false;
  }

  /** An operation without a result. */
  interface Done extends FuseReply {
    void done();
  }

  /** A name that was found or made. Each answer counts as a lookup, which {@link FuseFileSystem#forget} takes back. */
  interface Entry extends FuseReply {
    /** Answers with the times of the mount's options. */
    default void entry(FuseAttributes attributes, long generation) {
      entry(attributes, generation, -1, -1);
    }

    /**
     * Answers with the inode.
     *
     * @param generation distinguishes inodes that use the same number one after the other
     * @param entryValidNs how long the kernel may cache the name; negative: as in the options. Without a cache it does not
     * @param attributesValidNs how long it may cache the attributes, likewise
     */
    void entry(FuseAttributes attributes, long generation, long entryValidNs, long attributesValidNs);
  }

  /** A name that was looked up. */
  interface Lookup extends Entry {
    /** There is no such name. The kernel may cache that for the given time; negative: as in the options. */
    void absent(long validNs);
  }

  /** Attributes of an inode. */
  interface Attributes extends FuseReply {
    /** Answers with the time of the mount's options. */
    default void attributes(FuseAttributes attributes) {
      attributes(attributes, -1);
    }

    /** {@code validNs} is how long the kernel may cache them; negative: as in the options. */
    void attributes(FuseAttributes attributes, long validNs);
  }

  /** A file or directory that was opened. */
  interface Open extends FuseReply {
    /**
     * Answers with a handle, which {@link FuseFileSystem#release} returns.
     *
     * @param handle any number; later operations carry it
     * @param keepsCache whether the kernel's cached content is still valid; matters only with {@link CacheMode#FULL}
     */
    default void opened(long handle, boolean keepsCache) {
      opened(handle, keepsCache, false);
    }

    /** As {@link #opened(long, boolean)}; with {@code isDirect}, no content is cached through this handle in any mode. */
    void opened(long handle, boolean keepsCache, boolean isDirect);
  }

  /** A file that was made and opened. */
  interface Create extends FuseReply {
    /** As {@link Entry#entry} and {@link Open#opened}. */
    default void created(FuseAttributes attributes, long generation, long handle) {
      created(attributes, generation, handle, false, -1);
    }

    /** As above; {@code isDirect} as in {@link Open#opened}, {@code validNs} of the name and the attributes as in {@link Entry#entry}. */
    void created(FuseAttributes attributes, long generation, long handle, boolean isDirect, long validNs);
  }

  /** Bytes: of a file, or of a symbolic link. */
  interface Data extends FuseReply {
    /** Whether the read fills pages of a mapping or of the kernel's cache, instead of the buffer of a read(2). */
    default boolean isPaging() {
      return false;
    }

    /**
     * Memory in which the answer may be built: begins at a page, and has room for the requested bytes. Call it before the operation's method returns;
     * valid until the answer.
     */
    MemorySegment buffer();

    /**
     * Answers with the bytes of at most 256 segments, one after the other. Fewer bytes than requested mean the end of the file. The segments belong
     * to the caller again when this returns. Native ones are not copied.
     */
    void data(MemorySegment... pieces);
  }

  /** How many bytes were written or copied. */
  interface Count extends FuseReply {
    void count(long bytes);
  }

  /** An offset in a file. */
  interface Offset extends FuseReply {
    void offset(long offset);
  }

  /** Figures of the file system. */
  interface Statistics extends FuseReply {
    void statistics(FuseStatistics statistics);
  }

  /** The value of an attribute, or a list of names, each with a zero byte at its end. This handles requests for the size only, and ERANGE. */
  interface Value extends FuseReply {
    void value(byte[] value);
  }

  /** The first lock that conflicts with a requested one. */
  interface Lock extends FuseReply {
    /** {@code lock} is the conflicting one. */
    void held(FuseLock lock);

    void free();
  }

  /** Entries of a directory, until one does not fit; {@link #done} sends them. One thread at a time. */
  interface Directory extends FuseReply {
    /** Whether the entries should have attributes (readdirplus). */
    boolean wantsAttributes();

    /**
     * Adds a name without attributes.
     *
     * @param mode only its type matters
     * @param nextOffset the offset that a later call uses to continue behind this entry; not 0
     * @return false if it does not fit, and was not added
     */
    boolean add(byte[] name, long inode, int mode, long nextOffset);

    /** Adds a name with attributes, if they are wanted. This is a lookup of the inode, as in {@link Entry}, except for "." and "..". */
    default boolean add(byte[] name, FuseAttributes attributes, long generation, long nextOffset) {
      return add(name, attributes, generation, nextOffset, -1, -1);
    }

    /** As above, with times as in {@link Entry#entry}. */
    boolean add(byte[] name, FuseAttributes attributes, long generation, long nextOffset, long entryValidNs, long attributesValidNs);

    void done();
  }
}
