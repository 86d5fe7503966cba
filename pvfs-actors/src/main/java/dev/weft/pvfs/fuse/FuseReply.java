package dev.weft.pvfs.fuse;

import java.lang.foreign.MemorySegment;

/**
 * What an operation is answered with: once, at once or later, on any thread. A second answer is an {@link IllegalStateException}; one after the mount was
 * closed is dropped, for the kernel has been answered then. Who never answers leaves a process of the machine waiting until the mount is closed.
 */
public interface FuseReply {
  /** User of the process that asks. */
  int uid();

  /** Group of the process that asks. */
  int gid();

  /** The process that asks; 0 where the kernel asks for itself, as for pages that it writes back. */
  int pid();

  /**
   * Answers that it cannot be done.
   *
   * @param errno a positive error number of Linux, at most 511
   */
  void fail(int errno);

  /**
   * Runs an action when the process that asks is interrupted while it waits, at once if it has been already. The action runs on a thread of the mount, must
   * not block, and may be too late; it usually gives the operation up and answers EINTR, which is not owed. The last action that was set counts. It also runs
   * when the mount is closed, on the thread that closes, behind the answer of that.
   */
  void onInterrupt(Runnable action);

  /**
   * Whether no other thread of the mount reads requests just now: what comes next waits for as long as this one is in the file system's method. A file system
   * that can answers later then, on another thread.
   */
  default boolean isLastReader() {
    return false;
  }

  /**
   * Whether several requests are under way beside this one, not counting those that wait for locks: a thread that waited for this one would be one of many
   * that want a processor for it. A file system that can answers later then, too.
   */
  default boolean isOneOfMany() {
    return false;
  }

  /**
   * Runs what may wait for long, and answers this, on a thread of its own: for the {@linkplain #isLastReader last reader}, behind whom nobody reads requests,
   * nor the interrupts that are to end the wait. What it throws is answered with EIO.
   *
   * @return false if as many wait so as may: nothing was run then, and an error is to be answered
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
    /** With the times of the mount's options. */
    default void entry(FuseAttributes attributes, long generation) {
      entry(attributes, generation, -1, -1);
    }

    /**
     * Answers with the inode.
     *
     * @param generation tells inodes apart that had the same number one after the other
     * @param entryValidNs how long the kernel may remember the name; negative: as the options say. Without a cache it does not
     * @param attributesValidNs how long it may remember the attributes, likewise
     */
    void entry(FuseAttributes attributes, long generation, long entryValidNs, long attributesValidNs);
  }

  /** A name that was looked up. */
  interface Lookup extends Entry {
    /** There is no such name, which the kernel may remember for so long; negative: as the options say. */
    void absent(long validNs);
  }

  /** Attributes of an inode. */
  interface Attributes extends FuseReply {
    /** With the time of the mount's options. */
    default void attributes(FuseAttributes attributes) {
      attributes(attributes, -1);
    }

    /** {@code validNs} is how long the kernel may remember them; negative: as the options say. */
    void attributes(FuseAttributes attributes, long validNs);
  }

  /** A file or directory that was opened. */
  interface Open extends FuseReply {
    /**
     * Answers with a handle, which {@link FuseFileSystem#release} gives back.
     *
     * @param handle any number; later operations bring it
     * @param keepsCache whether what the kernel has cached of the content is still true; matters with {@link CacheMode#FULL} only
     */
    default void opened(long handle, boolean keepsCache) {
      opened(handle, keepsCache, false);
    }

    /** The same; {@code isDirect}: no content is cached through this handle, whatever the mode. */
    void opened(long handle, boolean keepsCache, boolean isDirect);
  }

  /** A file that was made and opened. */
  interface Create extends FuseReply {
    /** As {@link Entry#entry} and {@link Open#opened}. */
    default void created(FuseAttributes attributes, long generation, long handle) {
      created(attributes, generation, handle, false, -1);
    }

    /** The same; {@code isDirect} as in {@link Open#opened}, {@code validNs} of the name and the attributes as in {@link Entry#entry}. */
    void created(FuseAttributes attributes, long generation, long handle, boolean isDirect, long validNs);
  }

  /** Bytes: of a file, or of a symbolic link. */
  interface Data extends FuseReply {
    /** Whether pages of a mapping, or of the kernel's cache, are read, and not what a program gets by read(2). */
    default boolean isPaging() {
      return false;
    }

    /**
     * Memory that the answer may be made in: begins a page, and has room for all that was asked for. To be taken before the method of the operation
     * returns, and valid until the answer.
     */
    MemorySegment buffer();

    /**
     * Answers with the bytes of some segments, one after the other, at most 256 segments; fewer bytes than asked for mean the end of the file. They are
     * the caller's again when this returns. Native ones are not copied.
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

  /** The value of an attribute, or a list of names that end with a zero each. The answer takes care of who asks for the size only, and of ERANGE. */
  interface Value extends FuseReply {
    void value(byte[] value);
  }

  /** The first lock that is in the way of one that was asked for. */
  interface Lock extends FuseReply {
    /** {@code lock} is the one in the way. */
    void held(FuseLock lock);

    void free();
  }

  /** Entries of a directory, until one does not fit; {@link #done} sends them. One thread at a time. */
  interface Directory extends FuseReply {
    /** Whether attributes are wanted with the entries (readdirplus). */
    boolean wantsAttributes();

    /**
     * Adds a name alone.
     *
     * @param mode of which the type counts
     * @param nextOffset what a later call brings to go on behind this entry; not 0
     * @return false if it does not fit, and was not added
     */
    boolean add(byte[] name, long inode, int mode, long nextOffset);

    /** The same with attributes, where they are wanted: a lookup of the inode, as by {@link Entry}, but for "." and "..". */
    default boolean add(byte[] name, FuseAttributes attributes, long generation, long nextOffset) {
      return add(name, attributes, generation, nextOffset, -1, -1);
    }

    /** The same with times as in {@link Entry#entry}. */
    boolean add(byte[] name, FuseAttributes attributes, long generation, long nextOffset, long entryValidNs, long attributesValidNs);

    void done();
  }
}
