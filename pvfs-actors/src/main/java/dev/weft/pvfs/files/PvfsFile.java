package dev.weft.pvfs.files;

import dev.weft.hca.node.Interrupts;
import dev.weft.pvfs.Errno;
import dev.weft.pvfs.InterruptedCallException;
import dev.weft.pvfs.client.DaemonAddress;
import dev.weft.pvfs.client.DataClient;
import dev.weft.pvfs.client.IoTask;
import dev.weft.pvfs.client.LossWatch;
import dev.weft.pvfs.layout.Striping;
import dev.weft.pvfs.types.Datatype;
import dev.weft.pvfs.types.FlatType;
import dev.weft.pvfs.types.Partition;
import dev.weft.pvfs.types.Shape;
import dev.weft.pvfs.wire.DaemonOp;
import dev.weft.pvfs.wire.FileAttributes;
import dev.weft.pvfs.wire.FileLock;
import dev.weft.pvfs.wire.MetaOp;
import dev.weft.pvfs.wire.MetaRequest;
import java.io.Closeable;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * An open file. Any thread; operations on it may overlap, and then their order is open, as those of {@code pread(2)} and {@code pwrite(2)} on one
 * descriptor are. What a write has been answered with is seen by every read that begins later, on any node. A write over several stripes is not atomic:
 * a read beside it may see some of it.
 *
 * <p>Memory must be native and of a shared, automatic or global arena; what the fabric allocates ({@code Hca.allocMemory}) and other native memory moves
 * without a copy where it is longer than {@code weft.pvfs.client.fast}. A thread that is interrupted while it waits for the daemons gets an
 * {@link dev.weft.pvfs.InterruptedCallException} and stays interrupted; the operation goes on. Appends, locks and {@link #close} are different.
 */
public final class PvfsFile implements Closeable {
  private static final AtomicLong OWNERS = new AtomicLong(1);
  /** What is waited for longer is waited for for ever; nanoseconds have no numbers for more than 292 years. */
  private static final Duration FOR_EVER = Duration.ofDays(36_500);
  private static final long[] NONE = {};
  private static final MemorySegment[] NO_MEMORY = {};

  private final String path;
  private final FileAttributes attributes;
  private final Engine engine;
  private final List<DaemonAddress> daemons;
  private final DataClient data;
  private final BufferIo buffers;
  private final LossWatch losses;
  private final boolean isAppended;
  private final boolean mayRead;
  private final boolean mayWrite;
  private final AtomicBoolean closed = new AtomicBoolean();
  /** Whose locks these are. */
  private final long owner = OWNERS.getAndIncrement();
  private volatile boolean hasLocked;
  private volatile boolean written;
  /** Operations under way that may change its length; those that were left by an interrupt for good. */
  private final AtomicInteger changing = new AtomicInteger();
  /** Operations under way for which no thread waits. */
  private final AtomicInteger unawaited = new AtomicInteger();
  private final CompletableFuture<Void> drained = new CompletableFuture<>();

  PvfsFile(String path, FileAttributes attributes, Engine engine, List<DaemonAddress> daemons, boolean mayRead, boolean mayWrite, boolean isAppended) {
    this.path = path;
    this.attributes = attributes;
    this.engine = engine;
    this.daemons = daemons;
    this.data = engine.data();
    this.buffers = new BufferIo(this, engine.staging());
    this.isAppended = isAppended;
    this.mayRead = mayRead;
    this.mayWrite = mayWrite;
    this.losses = mayWrite ? data.watch(inode()) : LossWatch.NONE;
    if (isAppended) {
      engine.appends().opened(inode());
    }
  }

  /** What the manager knew of it when it was opened. */
  public FileAttributes attributes() {
    return attributes;
  }

  /** Whether it was closed here. */
  public boolean isClosed() {
    return closed.get();
  }

  /** Its number, which no other file ever has. */
  public long inode() {
    return attributes.inode();
  }

  /** Which daemons have which of its bytes. */
  public Striping striping() {
    return attributes.striping();
  }

  /**
   * Reads from {@code offset} on until {@code to} is full or the file ends.
   *
   * @return bytes that were read; 0 at the end of the file. The rest of {@code to} is zeros
   */
  public long read(MemorySegment to, long offset) throws PvfsException {
    return readList(new long[] {offset}, new long[] {to.byteSize()}, to);
  }

  /**
   * Writes all of {@code from} at {@code offset}; at the end of a file that was opened to append, as {@link #append}. When this throws, some of it may be
   * written.
   */
  public void write(MemorySegment from, long offset) throws PvfsException {
    if (isAppended) {
      append(from);
      return;
    }
    writeList(new long[] {offset}, new long[] {from.byteSize()}, from);
  }

  /**
   * Writes all of {@code from} behind the end of the file: among all appends of all clients and mounts, none is lost and none goes into another one.
   *
   * @return where it was written
   * @throws PvfsException EINTR if the thread was interrupted before its turn came, and nothing is written; what has begun no interrupt ends
   */
  public long append(MemorySegment from) throws PvfsException {
    long[] offset = {0};
    change(() -> {
      offset[0] = engine.appends().append(inode(), striping(), from);
      if (offset[0] < 0) {
        throw new PvfsException((int) -offset[0], "append to " + path);
      }
    });
    return offset[0];
  }

  private interface Change {
    void run() throws PvfsException;
  }

  /** Who closes it meanwhile does not say how long it is. */
  private void change(Change change) throws PvfsException {
    beginChange();
    try {
      change.run();
    } catch (InterruptedCallException goesOn) {
      changing.incrementAndGet();
      throw goesOn;
    } finally {
      changing.decrementAndGet();
    }
  }

  /** Until {@link #changing} is less by one. */
  private void beginChange() throws PvfsException {
    changing.incrementAndGet(); // Before the look: closing looks in the other order.
    try {
      requireOpen(mayWrite, "written");
    } catch (PvfsException refused) {
      changing.decrementAndGet();
      throw refused;
    }
    written = true;
  }

  /**
   * List I/O: reads ranges of the file, in order, into pieces of memory, which need not be cut alike but have as many bytes together.
   *
   * @return bytes that the file has of the ranges
   */
  public long readList(long[] offsets, long[] lengths, MemorySegment... to) throws PvfsException {
    requireRanges(offsets, lengths);
    return readShaped(null, 0, offsets.clone(), lengths.clone(), to.clone());
  }

  private static void requireRanges(long[] offsets, long[] lengths) {
    if (offsets.length != lengths.length) {
      throw new IllegalArgumentException(offsets.length + " offsets and " + lengths.length + " lengths of ranges, must be as many");
    }
  }

  /** Reads ranges that are a part of the data of a shape, from {@code position} on; null for any. */
  long readShaped(Shape shape, long position, long[] offsets, long[] lengths, MemorySegment[] to) throws PvfsException {
    requireOpen(mayRead, "read");
    return checked(data.callShaped(DaemonOp.READ, inode(), striping(), shape, position, offsets, lengths, to), "read").bytes();
  }

  /** List I/O: writes pieces of memory to ranges of the file, as {@link #readList}. */
  public void writeList(long[] offsets, long[] lengths, MemorySegment... from) throws PvfsException {
    requireRanges(offsets, lengths);
    writeShaped(null, 0, offsets.clone(), lengths.clone(), from.clone());
  }

  /** Writes as {@link #readShaped} reads. */
  void writeShaped(Shape shape, long position, long[] offsets, long[] lengths, MemorySegment[] from) throws PvfsException {
    change(() -> {
      requireOffsets();
      checked(data.callShaped(DaemonOp.WRITE, inode(), striping(), shape, position, offsets, lengths, from), "write");
    });
  }

  /**
   * Reads into a buffer, whose position moves on. A direct one gets its bytes without a copy, one of the heap with one.
   *
   * @return bytes that were read; less than the buffer has room for only at the end of the file
   */
  public int read(ByteBuffer to, long offset) throws PvfsException {
    return buffers.read(to, offset);
  }

  /** Writes all that a buffer has left, as {@link #read(ByteBuffer, long)}. */
  public int write(ByteBuffer from, long offset) throws PvfsException {
    return buffers.write(from, offset);
  }

  /** Reads {@code groupBytes} at distances of {@code stride} from {@code offset} on, one behind the other into memory; the rest as {@link #readList}. */
  public long readStrided(MemorySegment to, long offset, long groupBytes, long stride) throws PvfsException {
    return partition(Partition.of(offset, groupBytes, stride)).read(to, 0);
  }

  /** Writes as {@link #readStrided} reads. */
  public void writeStrided(MemorySegment from, long offset, long groupBytes, long stride) throws PvfsException {
    partition(Partition.of(offset, groupBytes, stride)).write(from, 0);
  }

  /** A logical partition of it, as if that were all. */
  public FileView partition(Partition partition) {
    return view(partition.offset(), partition.type());
  }

  /**
   * What a type names of it, as if that were all; the type repeats without end.
   *
   * @param displacement where the first one begins
   * @throws IllegalArgumentException if the type has no bytes or no extent
   */
  public FileView view(long displacement, Datatype type) {
    return new FileView(this, new FlatType(displacement, type), Shape.of(displacement, type));
  }

  // Without waiting.

  /**
   * As {@link #read}, without waiting. The stage completes on a thread of the common pool.
   *
   * @return fails with a {@link PvfsException}; with EAGAIN if {@code weft.pvfs.client.tasks-max} operations are under way, with ESHUTDOWN if the file
   *     system is closed, also meanwhile
   */
  public CompletionStage<Long> readAsync(MemorySegment to, long offset) throws PvfsException {
    return readListAsync(new long[] {offset}, new long[] {to.byteSize()}, to);
  }

  /** As {@link #write}, without waiting; the rest as {@link #readAsync}. The stage has the number of bytes. */
  public CompletionStage<Long> writeAsync(MemorySegment from, long offset) throws PvfsException {
    return writeListAsync(new long[] {offset}, new long[] {from.byteSize()}, from);
  }

  /** As {@link #readList}, without waiting; the rest as {@link #readAsync}. */
  public CompletionStage<Long> readListAsync(long[] offsets, long[] lengths, MemorySegment... to) throws PvfsException {
    requireRanges(offsets, lengths);
    requireOpen(mayRead, "read");
    return begin(DaemonOp.READ, offsets.clone(), lengths.clone(), to.clone(), "read").thenApply(IoTask::bytes);
  }

  /** As {@link #writeList}, without waiting; the rest as {@link #readAsync}. */
  public CompletionStage<Long> writeListAsync(long[] offsets, long[] lengths, MemorySegment... from) throws PvfsException {
    requireRanges(offsets, lengths);
    beginChange();
    try {
      requireOffsets();
    } catch (PvfsException refused) {
      changing.decrementAndGet();
      throw refused;
    }
    return begin(DaemonOp.WRITE, offsets.clone(), lengths.clone(), from.clone(), "write").thenApply(IoTask::bytes);
  }

  /** As {@link #read(ByteBuffer, long)}, without waiting; of a buffer of the heap at most 1 MiB. Its position moves on before the stage completes. */
  public CompletionStage<Integer> readAsync(ByteBuffer to, long offset) throws PvfsException {
    return buffers.readAsync(to, offset);
  }

  /** As {@link #write(ByteBuffer, long)}, without waiting; of a buffer of the heap at most 1 MiB. */
  public CompletionStage<Integer> writeAsync(ByteBuffer from, long offset) throws PvfsException {
    return buffers.writeAsync(from, offset);
  }

  /** As {@link #size}, without waiting. */
  public CompletionStage<Long> sizeAsync() throws PvfsException {
    requireOpen(true, "asked");
    return begin(DaemonOp.STAT, NONE, NONE, NO_MEMORY, "size of").thenApply(IoTask::fileBytes);
  }

  /** As {@link #sync}, without waiting. */
  public CompletionStage<Void> syncAsync() throws PvfsException {
    requireOpen(true, "synced");
    return begin(DaemonOp.SYNC, NONE, NONE, NO_MEMORY, "sync").thenCompose(_ -> losses.tells() ? CompletableFuture.failedStage(lost())
        : CompletableFuture.completedStage(null));
  }

  /** As {@link #close}, without waiting; what is under way ends before. */
  public CompletionStage<Void> closeAsync() {
    if (!closed.compareAndSet(false, true)) {
      return CompletableFuture.completedStage(null);
    }
    if (isAppended) {
      engine.appends().closed(inode());
    }
    if (hasLocked) {
      engine.meta().locks().unlock(inode(), FileLock.whole(FileLock.POSIX, owner, FileLock.NONE, 0), _ -> { });
    }
    drain();
    return drained.thenCompose(_ -> tellClosed());
  }

  private CompletionStage<Void> tellClosed() {
    boolean isChanging = changing.get() > 0;
    CompletionStage<MetaRequest> last = isChanging || !written
        ? CompletableFuture.completedStage(closing(isChanging ? MetaRequest.UNKNOWN_LENGTH : MetaRequest.NOT_WRITTEN, 0))
        : begin(DaemonOp.STAT, NONE, NONE, NO_MEMORY, "size of")
            .handle((stat, failed) -> failed == null ? closing(stat.fileBytes(), stat.wroteNs()) : closing(MetaRequest.UNKNOWN_LENGTH, 0));
    return last.thenCompose(request -> engine.beginSurely(request, "close " + path)).thenApply(_ -> null);
  }

  /** A write is one of {@link #changing} until it ends. */
  private CompletionStage<IoTask> begin(DaemonOp op, long[] offsets, long[] lengths, MemorySegment[] memory, String what) {
    CompletableFuture<IoTask> done = new CompletableFuture<>();
    unawaited.incrementAndGet();
    IoTask begun;
    try {
      begun = data.begin(op, inode(), striping(), offsets, lengths, memory, task -> {
        ended(op);
        done.completeAsync(() -> task);
      });
    } catch (RuntimeException refused) {
      ended(op);
      throw refused;
    }
    if (begun == null) {
      ended(op);
      return CompletableFuture.failedStage(Engine.notTaken(data.isClosed(), what + " " + path));
    }
    return done.thenCompose(task -> task.errno() == Errno.OK ? CompletableFuture.completedStage(task)
        : CompletableFuture.failedStage(new PvfsException(task.errno(), what + " " + path)));
  }

  private void ended(DaemonOp op) {
    if (op == DaemonOp.WRITE) {
      changing.decrementAndGet();
    }
    unawaited.decrementAndGet();
    drain();
  }

  /** What is under way when it is closed goes on, and is closed behind it, since daemons would refuse it otherwise. */
  private void drain() {
    if (closed.get() && unawaited.get() == 0) {
      drained.complete(null);
    }
  }

  // The whole file.

  /** Its length, as the daemons have it now. */
  public long size() throws PvfsException {
    requireOpen(true, "asked");
    return checked(data.stat(inode(), striping()), "size of").fileBytes();
  }

  /** Which daemon has which bytes of it now. */
  public Distribution distribution() throws PvfsException {
    return Distribution.of(striping(), size(), daemons);
  }

  /** Cuts or extends it; what is added reads as zeros. */
  public void truncate(long bytes) throws PvfsException {
    requireOpen(mayWrite, "written");
    if (bytes < 0 || bytes > Striping.FILE_BYTES_MAX) {
      throw new IllegalArgumentException("a length of " + bytes + " bytes, must be from 0 to " + Striping.FILE_BYTES_MAX);
    }
    change(() -> checked(data.truncate(inode(), striping(), bytes), "truncate"));
  }

  /** Makes a range zeros and gives back what it took; the length stays. */
  public void punch(long offset, long bytes) throws PvfsException {
    change(() -> checked(data.punch(inode(), striping(), offset, bytes), "punch"));
  }

  /**
   * Returns when all that was written is on the disks of all its daemons; at once where they have it in memory only.
   *
   * @throws PvfsException EIO, once, if it is open to be written and changes of it that this client made may be lost: a daemon's machine has failed before
   *     they were synced, or a daemon in memory was started anew
   */
  public void sync() throws PvfsException {
    requireOpen(true, "synced");
    checked(data.sync(inode(), striping()), "sync");
    if (losses.tells()) {
      throw lost();
    }
  }

  private PvfsException lost() {
    return new PvfsException(Errno.EIO, "sync " + path + ": an I/O daemon was started anew, and may have lost what was written");
  }

  // Locks.

  /**
   * Locks a range, as fcntl(2) does: of all clients and mounts, who asks for it is kept out, who does not is not. The locks of one open file do not exclude
   * each other; they go when it is closed.
   *
   * @param bytes from {@code position} on; 0 to the end of the file, wherever it is
   * @param isShared whether others may lock it shared, too
   * @return null if somebody else has it
   */
  public PvfsLock tryLock(long position, long bytes, boolean isShared) throws PvfsException {
    FileLock lock = lockOf(position, bytes, isShared);
    int errno = engine.meta().locks().lock(inode(), lock);
    if (errno == Errno.EAGAIN) {
      return null;
    }
    return locked(errno, lock);
  }

  /**
   * As {@link #tryLock}, and waits for it.
   *
   * @param max 100 years or more are for ever
   * @throws PvfsException ETIMEDOUT after {@code max}; EDEADLK if who has it waits for one of this file; EINTR if the thread was or is interrupted, which
   *     stays so; EBADF if the file was closed meanwhile. It is not locked then
   */
  public PvfsLock lock(long position, long bytes, boolean isShared, Duration max) throws PvfsException {
    FileLock lock = lockOf(position, bytes, isShared);
    int errno = engine.meta().locks().await(inode(), lock, max.compareTo(FOR_EVER) > 0 ? FOR_EVER : max.isNegative() ? Duration.ZERO : max);
    return locked(errno, lock);
  }

  private FileLock lockOf(long position, long bytes, boolean isShared) throws PvfsException {
    requireOpen(isShared ? mayRead : mayWrite, isShared ? "read" : "written");
    if (position < 0 || bytes < 0 || bytes > Long.MAX_VALUE - position) {
      throw new IllegalArgumentException("a lock of " + bytes + " bytes from " + position + ", must lie between 0 and " + Long.MAX_VALUE);
    }
    return new FileLock(FileLock.POSIX, owner, isShared ? FileLock.SHARED : FileLock.EXCLUSIVE, position,
        bytes == 0 ? Long.MAX_VALUE : position + bytes - 1, 0);
  }

  private PvfsLock locked(int errno, FileLock lock) throws PvfsException {
    if (errno != Errno.OK) {
      throw new PvfsException(errno, "lock " + path);
    }
    hasLocked = true;
    if (closed.get()) { // Who has closed it may not have seen that there is a lock.
      engine.meta().locks().lock(inode(), FileLock.whole(FileLock.POSIX, owner, FileLock.NONE, 0));
      requireOpen(true, "locked");
    }
    return new PvfsLock(engine.meta(), path, inode(), lock);
  }

  private void requireOffsets() throws PvfsException {
    if (isAppended) {
      throw new PvfsException(Errno.EINVAL, path + " was opened to append, which has no offsets");
    }
  }

  private void requireOpen(boolean isAllowed, String what) throws PvfsException {
    if (closed.get() || !isAllowed) {
      throw new PvfsException(Errno.EBADF, path + (closed.get() ? " is closed" : " was not opened to be " + what));
    }
  }

  private IoTask checked(IoTask task, String what) throws PvfsException {
    if (task.errno() != Errno.OK) {
      throw new PvfsException(task.errno(), what + " " + path);
    }
    return task;
  }

  /**
   * Tells the manager its length, if it was written, and that it is not open here any more, when what was begun without waiting is over; no interrupt ends
   * that. Idempotent; does nothing when the file system is closed.
   */
  @Override
  public void close() throws PvfsException {
    if (closed.compareAndSet(false, true) && !data.isClosed()) { // With the file system all of its files are closed.
      drain();
      Interrupts.putAside(() -> {
        data.await(drained::isDone);
        giveUp();
        return engine.ask(closingAtLast(), "close " + path);
      });
    }
  }

  private MetaRequest closingAtLast() {
    if (changing.get() > 0) { // Looked at first: what has ended since has said that it wrote.
      return closing(MetaRequest.UNKNOWN_LENGTH, 0);
    }
    if (!written) {
      return closing(MetaRequest.NOT_WRITTEN, 0);
    }
    IoTask stat = data.stat(inode(), striping());
    return stat.errno() == Errno.OK ? closing(stat.fileBytes(), stat.wroteNs()) : closing(MetaRequest.UNKNOWN_LENGTH, 0);
  }

  private void giveUp() {
    if (isAppended) {
      engine.appends().closed(inode());
    }
    if (hasLocked) {
      engine.meta().locks().lock(inode(), FileLock.whole(FileLock.POSIX, owner, FileLock.NONE, 0));
    }
  }

  private MetaRequest closing(long bytes, long wroteNs) {
    return MetaRequest.of(MetaOp.CLOSE, engine.caller(), inode(), bytes, mayWrite ? 1 : 0, 0, 0, wroteNs);
  }
}
