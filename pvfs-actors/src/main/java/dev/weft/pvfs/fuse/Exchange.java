package dev.weft.pvfs.fuse;

import static dev.weft.pvfs.Errno.EIO;
import static dev.weft.pvfs.Errno.ERANGE;
import static dev.weft.pvfs.Errno.ESHUTDOWN;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.ref.Reference;
import java.util.concurrent.atomic.AtomicReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A request that waits for its answer: its caller, and every kind of answer. It holds the buffer of the request as long as it needs it, and its place
 * in {@link Outstanding} until the kernel has the answer. One thread begins it, any thread answers.
 */
final class Exchange implements FuseReply.Done, FuseReply.Lookup, FuseReply.Attributes, FuseReply.Open, FuseReply.Create, FuseReply.Data, FuseReply.Count,
    FuseReply.Offset, FuseReply.Statistics, FuseReply.Value, FuseReply.Lock, FuseReply.Directory {
  private enum State { OPEN, ANSWERED, ABORTED }

  private static final Logger LOG = LoggerFactory.getLogger(Exchange.class);
  private static final int ERRNO_MAX = 511;

  private final RequestHandler handler;
  private final ReplyPort port;
  private final int opcode;
  private final long unique;
  private final long node;
  private final int uid;
  private final int gid;
  private final int pid;
  private final AtomicReference<State> state = new AtomicReference<>(State.OPEN);
  private RequestBuffer buffer;
  private boolean keepsBuffer;
  private boolean isBegun;
  private boolean isSent;
  private boolean isWaitingLock;
  private boolean isInterrupted;
  private Runnable interruptAction;
  private int sizeMax;
  private boolean isPaging;
  private DirectoryBody directory;

  Exchange(RequestHandler handler, ReplyPort port, FuseRequest request, RequestBuffer buffer) {
    this.handler = handler;
    this.port = port;
    this.buffer = buffer;
    opcode = request.opcode();
    unique = request.unique();
    node = request.node();
    uid = request.uid();
    gid = request.gid();
    pid = request.pid();
  }

  // For the engine.

  int opcode() {
    return opcode;
  }

  long unique() {
    return unique;
  }

  /** Sets whether a read fills pages of a mapping or of the kernel's cache. */
  void setPaging(boolean isSo) {
    isPaging = isSo;
  }

  @Override
  public boolean isPaging() {
    return isPaging;
  }

  void setSizeMax(int bytes) {
    sizeMax = bytes;
  }

  synchronized void setWaitingLock() {
    isWaitingLock = true;
  }

  synchronized boolean isWaitingLock() {
    return isWaitingLock;
  }

  boolean isOpen() {
    return state.get() == State.OPEN;
  }

  /** Gives the file system's method memory of the buffer, which is then kept until the answer. */
  synchronized RequestBuffer keepBuffer() {
    if (buffer == null || isBegun && !keepsBuffer) {
      throw new IllegalStateException(Protocol.name(opcode) + " has no buffer any more: it is to be taken before the method of the operation returns");
    }
    keepsBuffer = true;
    return buffer;
  }

  /** The file system's method has returned. Returns the buffer if the next request may have it, otherwise null. */
  synchronized RequestBuffer begun() {
    isBegun = true;
    RequestBuffer mine = buffer;
    if (keepsBuffer && !isSent) {
      return null;
    }
    buffer = null;
    return mine;
  }

  private void sent() {
    RequestBuffer mine = null;
    synchronized (this) {
      isSent = true;
      if (isBegun) {
        mine = buffer;
        buffer = null;
      }
    }
    if (mine != null) {
      handler.giveBack(mine);
    }
    handler.answered(this);
  }

  /** The calling process was interrupted. */
  void interrupt() {
    if (isOpen()) {
      endWait();
    }
  }

  private void runInterrupt(Runnable action) {
    try {
      action.run();
    } catch (RuntimeException failed) {
      LOG.error("what was to be done when a {} is interrupted has failed", Protocol.name(opcode), failed);
    }
  }

  /**
   * The mount is closed: the kernel gets an error, and a later answer of the file system is dropped. The buffer stays unchanged. Ends the file
   * system's wait, too.
   */
  void abort(int errno) {
    if (state.compareAndSet(State.OPEN, State.ABORTED)) {
      ReplyMemory.mine().send(port, unique, -errno, 0);
      handler.answered(this);
      endWait();
    }
  }

  private void endWait() {
    Runnable action;
    synchronized (this) {
      isInterrupted = true;
      action = interruptAction;
    }
    if (action != null) {
      runInterrupt(action);
    }
  }

  /** For errors that the engine finds: fails unless it was answered. */
  void failIfOpen(int errno) {
    if (state.compareAndSet(State.OPEN, State.ANSWERED)) {
      send(-errno, 0);
    }
  }

  // The kinds of answers.

  private boolean claim() {
    if (state.compareAndSet(State.OPEN, State.ANSWERED)) {
      return true;
    }
    if (state.get() == State.ABORTED) {
      return false;
    }
    throw new IllegalStateException(Protocol.name(opcode) + " was answered already");
  }

  /** For an invalid answer: the kernel gets EIO, the file system the exception. */
  private IllegalArgumentException refuse(String problem) {
    failIfOpen(-LinuxCalls.EIO);
    return new IllegalArgumentException("the answer of " + Protocol.name(opcode) + " " + problem);
  }

  private void require(Object part, String what) {
    if (part == null) {
      throw refuse("has no " + what);
    }
  }

  /** Writes the answer to the kernel; returns whether the kernel accepted it. */
  private boolean send(int error, int bodyBytes, MemorySegment... pieces) {
    try {
      ReplyMemory memory = ReplyMemory.mine();
      int result = memory.send(port, unique, error, bodyBytes, pieces);
      if (result < 0 && result != LinuxCalls.ENOENT && result != LinuxCalls.ENODEV && result != LinuxCalls.ECONNABORTED) {
        handler.logOnce(opcode, "the kernel refuses an answer of " + Protocol.name(opcode) + " (" + LinuxCalls.errorName(result) + "); it gets EIO", null);
        memory.send(port, unique, LinuxCalls.EIO, 0);
      }
      return result == 0;
    } finally {
      sent();
    }
  }

  private void answer(int bodyBytes, MemorySegment... pieces) {
    if (claim()) {
      send(0, bodyBytes, pieces);
    }
  }

  private void answerNumber(long number) {
    ReplyMemory.mine().body().set(ValueLayout.JAVA_LONG, 0, number);
    answer(Long.BYTES);
  }

  @Override
  public void fail(int errno) {
    if (errno <= 0 || errno > ERRNO_MAX) {
      throw refuse("has the error number " + errno + ", 1 to " + ERRNO_MAX + " can be");
    }
    if (claim()) {
      send(errno == ESHUTDOWN ? -EIO : -errno, 0); // For programs, a closed file system is a failing device.
    }
  }

  @Override
  public void onInterrupt(Runnable action) {
    boolean isNow;
    synchronized (this) {
      isNow = isInterrupted;
      interruptAction = action;
    }
    if (isNow) {
      runInterrupt(action);
    }
  }

  @Override
  public boolean isLastReader() {
    return handler.hasNoReader();
  }

  @Override
  public boolean isOneOfMany() {
    return handler.isOneOfMany();
  }

  @Override
  public boolean runLater(Runnable task) {
    return handler.runLater(this, task);
  }

  @Override
  public int uid() {
    return uid;
  }

  @Override
  public int gid() {
    return gid;
  }

  @Override
  public int pid() {
    return pid;
  }

  @Override
  public void done() {
    boolean isDirectory = opcode == Protocol.READDIR || opcode == Protocol.READDIRPLUS;
    answer(0, isDirectory && directory != null ? new MemorySegment[] {directory.entries()} : new MemorySegment[0]);
  }

  @Override
  public void entry(FuseAttributes attributes, long generation, long entryValidNs, long attributesValidNs) {
    require(attributes, "attributes");
    CachePolicy cache = handler.cache();
    ReplyMemory.putEntry(ReplyMemory.mine().body(), 0, attributes, generation, cache.entryValid(entryValidNs), cache.attributesValid(attributesValidNs));
    if (claim() && !send(0, Protocol.ENTRY_OUT_BYTES)) {
      handler.fileSystem().forget(attributes.inode(), 1); // The kernel did not learn of this lookup.
    }
  }

  @Override
  public void absent(long validNs) {
    ReplyMemory.putEntry(ReplyMemory.mine().body(), 0, null, 0, handler.cache().entryValid(validNs), 0);
    answer(Protocol.ENTRY_OUT_BYTES);
  }

  @Override
  public void attributes(FuseAttributes attributes, long validNs) {
    require(attributes, "attributes");
    ReplyMemory.mine().putAttributesOut(attributes, handler.cache().attributesValid(validNs));
    answer(Protocol.ATTR_OUT_BYTES);
  }

  @Override
  public void opened(long handle, boolean keepsCache, boolean isDirect) {
    boolean isDirectory = opcode == Protocol.OPENDIR;
    int flags = isDirectory ? handler.cache().directoryFlags(keepsCache) : handler.cache().fileFlags(keepsCache, isDirect);
    ReplyMemory.mine().putOpen(0, handle, flags);
    if (claim() && !send(0, Protocol.OPEN_OUT_BYTES)) {
      handler.releaseUnopened(node, handle, isDirectory);
    }
  }

  @Override
  public void created(FuseAttributes attributes, long generation, long handle, boolean isDirect, long validNs) {
    require(attributes, "attributes");
    ReplyMemory memory = ReplyMemory.mine();
    CachePolicy cache = handler.cache();
    ReplyMemory.putEntry(memory.body(), 0, attributes, generation, cache.entryValid(validNs), cache.attributesValid(validNs));
    memory.putOpen(Protocol.ENTRY_OUT_BYTES, handle, cache.fileFlags(false, isDirect));
    if (claim() && !send(0, Protocol.ENTRY_OUT_BYTES + Protocol.OPEN_OUT_BYTES)) {
      handler.releaseUnopened(attributes.inode(), handle, false);
      handler.fileSystem().forget(attributes.inode(), 1);
    }
  }

  @Override
  public MemorySegment buffer() {
    return keepBuffer().payload().asSlice(0, sizeMax);
  }

  @Override
  public void data(MemorySegment... pieces) {
    require(pieces, "bytes");
    if (pieces.length > ReplyMemory.PIECES_MAX) {
      throw refuse("has " + pieces.length + " pieces, at most " + ReplyMemory.PIECES_MAX + " can be");
    }
    long bytes = 0;
    boolean isNative = true;
    for (MemorySegment piece : pieces) {
      require(piece, "bytes in one of its pieces");
      bytes += piece.byteSize();
      isNative &= piece.isNative();
    }
    if (bytes > sizeMax) {
      throw refuse("has " + bytes + " bytes, asked for were " + sizeMax);
    }
    try {
      if (isNative) {
        answer(0, pieces);
      } else {
        answerCopies(pieces);
      }
    } finally {
      Reference.reachabilityFence(pieces); // The kernel reads them by address.
    }
  }

  private void answerCopies(MemorySegment... pieces) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment[] copies = new MemorySegment[pieces.length];
      for (int i = 0; i < copies.length; i++) {
        copies[i] = arena.allocate(pieces[i].byteSize()).copyFrom(pieces[i]);
      }
      answer(0, copies);
    }
  }

  @Override
  public void count(long bytes) {
    if (bytes < 0 || opcode != Protocol.COPY_FILE_RANGE_64 && bytes > Integer.MAX_VALUE) {
      throw refuse("counts " + bytes + " bytes, 0 to " + Integer.MAX_VALUE + " can be");
    }
    answerNumber(bytes);
  }

  @Override
  public void offset(long offset) {
    answerNumber(offset);
  }

  @Override
  public void statistics(FuseStatistics statistics) {
    require(statistics, "figures");
    ReplyMemory.mine().putStatistics(statistics);
    answer(Protocol.STATFS_OUT_BYTES);
  }

  @Override
  public void value(byte[] value) {
    require(value, "value");
    if (sizeMax == 0) {
      answerNumber(value.length); // Only the size was requested.
    } else if (value.length > sizeMax) {
      fail(ERANGE);
    } else if (value.length == 0) {
      answer(0);
    } else {
      answerCopies(MemorySegment.ofArray(value));
    }
  }

  @Override
  public void held(FuseLock lock) {
    require(lock, "lock");
    ReplyMemory.mine().putLock(lock);
    answer(Protocol.LK_OUT_BYTES);
  }

  @Override
  public void free() {
    held(new FuseLock(FuseLock.UNLOCK, 0, Long.MAX_VALUE, 0));
  }

  @Override
  public boolean wantsAttributes() {
    return opcode == Protocol.READDIRPLUS;
  }

  @Override
  public boolean add(byte[] name, long inode, int mode, long nextOffset) {
    return add(name, inode, mode, nextOffset, null, 0, 0, 0);
  }

  @Override
  public boolean add(byte[] name, FuseAttributes attributes, long generation, long nextOffset, long entryValidNs, long attributesValidNs) {
    require(attributes, "attributes");
    return add(name, attributes.inode(), attributes.mode(), nextOffset, attributes, generation, entryValidNs, attributesValidNs);
  }

  private boolean add(byte[] name, long inode, int mode, long nextOffset, FuseAttributes attributes, long generation, long entryValidNs,
      long attributesValidNs) {
    require(name, "name");
    if (name.length == 0 || name.length > Protocol.NAME_BYTES_MAX || inode == 0) {
      throw refuse("has an entry of " + name.length + " bytes for inode " + inode + ", 1 to " + Protocol.NAME_BYTES_MAX + " bytes and not inode 0 can be");
    }
    if (directory == null) {
      directory = new DirectoryBody(buffer(), wantsAttributes());
    }
    CachePolicy cache = handler.cache();
    return directory.add(name, inode, mode, nextOffset, attributes, generation, cache.entryValid(entryValidNs), cache.attributesValid(attributesValidNs));
  }
}
