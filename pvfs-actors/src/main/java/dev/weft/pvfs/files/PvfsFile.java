package dev.weft.pvfs.files;

import dev.weft.hca.node.Interrupts;
import dev.weft.pvfs.Errno;
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

/**
 * An open file. Any thread. Operations on it may overlap and then have no order, like {@code pread(2)} and {@code pwrite(2)} on one descriptor. Every
 * read that begins after a write was answered sees that write, on any node. A write over several stripes is not atomic: a concurrent read may see a
 * part of it.
 *
 * <p>Memory must be native and of a shared, automatic or global arena. It moves without a copy if it is longer than {@code weft.pvfs.client.fast},
 * whether the fabric has allocated it ({@code Hca.allocMemory}) or not. A thread that is interrupted while it waits for the daemons gets an
 * {@link dev.weft.pvfs.InterruptedCallException} and stays interrupted; the operation goes on. Appends, locks and {@link #close} are different.
 */
public final class PvfsFile implements Closeable {
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
  private final HeldLocks locks;
  private final Changes changes = new Changes(this::requireWritable);
  /** Operations under way that no thread waits for. */
  private final AtomicInteger unawaited = new AtomicInteger();
  private final CompletableFuture<Void> drained = new CompletableFuture<>();

  PvfsFile(String path, FileAttributes attributes, Engine engine, List<DaemonAddress> daemons, boolean mayRead, boolean mayWrite, boolean isAppended) {
    this.path = path;
    this.attributes = attributes;
    this.engine = engine;
    this.daemons = daemons;
    this.data = engine.data();
    this.locks = new HeldLocks(engine.meta(), path, attributes.inode());
    this.buffers = new BufferIo(this, engine.staging());
    this.isAppended = isAppended;
    this.mayRead = mayRead;
    this.mayWrite = mayWrite;
    this.losses = mayWrite ? data.watch(inode()) : LossWatch.NONE;
    if (isAppended) {
      engine.appends().opened(inode());
    }
  }

  /** Returns the manager's attributes from the time of the open. */
  public FileAttributes attributes() {
    return attributes;
  }

  /** Whether this object was closed. */
  public boolean isClosed() {
    return closed.get();
  }

  /** Returns its number, which no other file ever gets. */
  public long inode() {
    return attributes.inode();
  }

  /** Returns the layout: which daemons have which bytes. */
  public Striping striping() {
    return attributes.striping();
  }

  /**
   * Reads from {@code offset} on until {@code to} is full or the file ends.
   *
   * @return the number of bytes read; 0 at the end of the file. The rest of {@code to} is zeros
   */
  public long read(MemorySegment to, long offset) throws PvfsException {
    return readList(new long[] {offset}, new long[] {to.byteSize()}, to);
  }

  /**
   * Writes all of {@code from} at {@code offset}; if the file is open to append, appends as {@link #append}. When this throws, some of it may be
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
   * Writes all of {@code from} behind the end of the file. Among all appends of all clients and mounts, none is lost and none lies inside another.
   *
   * @return the offset of the data
   * @throws PvfsException EINTR if the thread was interrupted before its turn came, and nothing is written; an interrupt does not end an append that
   *     has begun
   */
  public long append(MemorySegment from) throws PvfsException {
    long[] offset = {0};
    changes.run(() -> {
      offset[0] = engine.appends().append(inode(), striping(), from);
      if (offset[0] < 0) {
        throw new PvfsException((int) -offset[0], "append to " + path);
      }
    });
    return offset[0];
  }

  /**
   * List I/O: reads ranges of the file, in order, into pieces of memory. Ranges and pieces may be cut differently, but must have equally many bytes
   * together.
   *
   * @return the bytes of the ranges that the file has
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

  /** Reads ranges that are a part of a shape's data, from {@code position} on; without a shape (null) any ranges. */
  long readShaped(Shape shape, long position, long[] offsets, long[] lengths, MemorySegment[] to) throws PvfsException {
    requireOpen(mayRead, "read");
    return checked(data.callShaped(DaemonOp.READ, inode(), striping(), shape, position, offsets, lengths, to), "read").bytes();
  }

  /** List I/O: writes pieces of memory to ranges of the file; as {@link #readList}. */
  public void writeList(long[] offsets, long[] lengths, MemorySegment... from) throws PvfsException {
    requireRanges(offsets, lengths);
    writeShaped(null, 0, offsets.clone(), lengths.clone(), from.clone());
  }

  /** Writes as {@link #readShaped} reads. */
  void writeShaped(Shape shape, long position, long[] offsets, long[] lengths, MemorySegment[] from) throws PvfsException {
    changes.run(() -> {
      requireOffsets();
      checked(data.callShaped(DaemonOp.WRITE, inode(), striping(), shape, position, offsets, lengths, from), "write");
    });
  }

  /**
   * Reads into a buffer and moves its position. A direct buffer needs no copy, a heap buffer one copy.
   *
   * @return the number of bytes read; less than the buffer's remaining space only at the end of the file
   */
  public int read(ByteBuffer to, long offset) throws PvfsException {
    return buffers.read(to, offset);
  }

  /** Writes all remaining bytes of a buffer; as {@link #read(ByteBuffer, long)}. */
  public int write(ByteBuffer from, long offset) throws PvfsException {
    return buffers.write(from, offset);
  }

  /**
   * Reads groups of {@code groupBytes}, {@code stride} bytes apart, from {@code offset} on, and puts them one behind the other into memory; otherwise
   * as {@link #readList}.
   */
  public long readStrided(MemorySegment to, long offset, long groupBytes, long stride) throws PvfsException {
    return partition(Partition.of(offset, groupBytes, stride)).read(to, 0);
  }

  /** Writes as {@link #readStrided} reads. */
  public void writeStrided(MemorySegment from, long offset, long groupBytes, long stride) throws PvfsException {
    partition(Partition.of(offset, groupBytes, stride)).write(from, 0);
  }

  /** Returns a view of a logical partition of the file. */
  public FileView partition(Partition partition) {
    return view(partition.offset(), partition.type());
  }

  /**
   * Returns a view of the bytes that a type describes; the type repeats without end.
   *
   * @param displacement offset of the first element of the type
   * @throws IllegalArgumentException if the type has no bytes or no extent
   */
  public FileView view(long displacement, Datatype type) {
    return new FileView(this, new FlatType(displacement, type), Shape.of(displacement, type));
  }

  // Without waiting.

  /**
   * As {@link #read}, without waiting. The stage completes on a thread of the common pool.
   *
   * @return a stage that fails with a {@link PvfsException}: EAGAIN if {@code weft.pvfs.client.tasks-max} operations are under way, ESHUTDOWN if the
   *     file system is closed before or during the operation
   */
  public CompletionStage<Long> readAsync(MemorySegment to, long offset) throws PvfsException {
    return readListAsync(new long[] {offset}, new long[] {to.byteSize()}, to);
  }

  /** As {@link #write}, without waiting; otherwise as {@link #readAsync}. The stage has the number of bytes. */
  public CompletionStage<Long> writeAsync(MemorySegment from, long offset) throws PvfsException {
    return writeListAsync(new long[] {offset}, new long[] {from.byteSize()}, from);
  }

  /** As {@link #readList}, without waiting; otherwise as {@link #readAsync}. */
  public CompletionStage<Long> readListAsync(long[] offsets, long[] lengths, MemorySegment... to) throws PvfsException {
    requireRanges(offsets, lengths);
    requireOpen(mayRead, "read");
    return begin(DaemonOp.READ, offsets.clone(), lengths.clone(), to.clone(), "read").thenApply(IoTask::bytes);
  }

  /** As {@link #writeList}, without waiting; otherwise as {@link #readAsync}. */
  public CompletionStage<Long> writeListAsync(long[] offsets, long[] lengths, MemorySegment... from) throws PvfsException {
    requireRanges(offsets, lengths);
    changes.begin();
    try {
      requireOffsets();
    } catch (PvfsException refused) {
      changes.end();
      throw refused;
    }
    return begin(DaemonOp.WRITE, offsets.clone(), lengths.clone(), from.clone(), "write").thenApply(IoTask::bytes);
  }

  /** As {@link #read(ByteBuffer, long)}, without waiting; into a heap buffer at most 1 MiB. The buffer's position moves before the stage completes. */
  public CompletionStage<Integer> readAsync(ByteBuffer to, long offset) throws PvfsException {
    return buffers.readAsync(to, offset);
  }

  /** As {@link #write(ByteBuffer, long)}, without waiting; from a heap buffer at most 1 MiB. */
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

  /** As {@link #close}, without waiting. Operations under way end first. */
  public CompletionStage<Void> closeAsync() {
    if (!closed.compareAndSet(false, true)) {
      return CompletableFuture.completedStage(null);
    }
    if (isAppended) {
      engine.appends().closed(inode());
    }
    locks.beginUnlock();
    drain();
    return drained.thenCompose(_ -> tellClosed());
  }

  private CompletionStage<Void> tellClosed() {
    boolean isChanging = changes.areUnderWay();
    CompletionStage<MetaRequest> last = isChanging || !changes.haveBegun()
        ? CompletableFuture.completedStage(closing(isChanging ? MetaRequest.UNKNOWN_LENGTH : MetaRequest.NOT_WRITTEN, 0))
        : begin(DaemonOp.STAT, NONE, NONE, NO_MEMORY, "size of")
            .handle((stat, failed) -> failed == null ? closing(stat.fileBytes(), stat.wroteNs()) : closing(MetaRequest.UNKNOWN_LENGTH, 0));
    return last.thenCompose(request -> engine.beginSurely(request, "close " + path)).thenApply(_ -> null);
  }

  /** Begins an operation. A write counts in {@link #changes} until it ends. */
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
      changes.end();
    }
    unawaited.decrementAndGet();
    drain();
  }

  /** Operations under way at a close go on, and the close follows them, since daemons would refuse them after it. */
  private void drain() {
    if (closed.get() && unawaited.get() == 0) {
      drained.complete(null);
    }
  }

  // The whole file.

  /** Returns the length that the daemons have now. */
  public long size() throws PvfsException {
    requireOpen(true, "asked");
    return checked(data.stat(inode(), striping()), "size of").fileBytes();
  }

  /** Returns which daemon has which bytes now. */
  public Distribution distribution() throws PvfsException {
    return Distribution.of(striping(), size(), daemons);
  }

  /** Cuts or extends the file; added bytes read as zeros. */
  public void truncate(long bytes) throws PvfsException {
    requireOpen(mayWrite, "written");
    if (bytes < 0 || bytes > Striping.FILE_BYTES_MAX) {
      throw new IllegalArgumentException("a length of " + bytes + " bytes, must be from 0 to " + Striping.FILE_BYTES_MAX);
    }
    changes.run(() -> checked(data.truncate(inode(), striping(), bytes), "truncate"));
  }

  /** Sets a range to zeros and frees its space; the length stays. */
  public void punch(long offset, long bytes) throws PvfsException {
    changes.run(() -> checked(data.punch(inode(), striping(), offset, bytes), "punch"));
  }

  /**
   * Returns when all written data is on the disks of all daemons of the file; at once from daemons that keep it in memory only.
   *
   * @throws PvfsException EIO, once, if the file is open for writing and changes of this client may be lost: a daemon's machine failed before they
   *     were synced, or a daemon in memory was restarted
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
   * Locks a range like fcntl(2), among all clients and mounts. Locks are advisory: they bind only programs that lock. Locks of one open file do not
   * exclude each other; closing the file removes them.
   *
   * @param bytes from {@code position} on; 0 to the end of the file, wherever it is
   * @param isShared whether others may also hold a shared lock
   * @return null if another owner has a conflicting lock
   */
  public PvfsLock tryLock(long position, long bytes, boolean isShared) throws PvfsException {
    requireLockable(isShared);
    return kept(locks.tryLock(position, bytes, isShared));
  }

  /**
   * As {@link #tryLock}, but waits for the lock.
   *
   * @param max 100 years or more mean without limit
   * @throws PvfsException ETIMEDOUT after {@code max}; EDEADLK if the holder waits for a lock of this file; EINTR if the thread was or is
   *     interrupted, and it stays so; EBADF if the file was closed meanwhile. The range is then not locked
   */
  public PvfsLock lock(long position, long bytes, boolean isShared, Duration max) throws PvfsException {
    requireLockable(isShared);
    return kept(locks.lock(position, bytes, isShared, max));
  }

  private void requireWritable() throws PvfsException {
    requireOpen(mayWrite, "written");
  }

  private void requireLockable(boolean isShared) throws PvfsException {
    requireOpen(isShared ? mayRead : mayWrite, isShared ? "read" : "written");
  }

  private PvfsLock kept(PvfsLock lock) throws PvfsException {
    if (lock != null && closed.get()) { // A concurrent close may not have seen this lock.
      locks.unlock();
      requireOpen(true, "locked");
    }
    return lock;
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
   * Waits for the operations that were begun without waiting, then tells the manager that the file is closed here and, if it was written, how long it
   * is. An interrupt does not end this. Idempotent; does nothing when the file system is closed.
   */
  @Override
  public void close() throws PvfsException {
    if (closed.compareAndSet(false, true) && !data.isClosed()) { // Closing the file system closes all its files.
      drain();
      Interrupts.putAside(() -> {
        data.await(drained::isDone);
        giveUp();
        return engine.ask(closingAtLast(), "close " + path);
      });
    }
  }

  private MetaRequest closingAtLast() {
    if (changes.areUnderWay()) { // Checked first: a change that has ended since has already recorded that it wrote.
      return closing(MetaRequest.UNKNOWN_LENGTH, 0);
    }
    if (!changes.haveBegun()) {
      return closing(MetaRequest.NOT_WRITTEN, 0);
    }
    IoTask stat = data.stat(inode(), striping());
    return stat.errno() == Errno.OK ? closing(stat.fileBytes(), stat.wroteNs()) : closing(MetaRequest.UNKNOWN_LENGTH, 0);
  }

  private void giveUp() {
    if (isAppended) {
      engine.appends().closed(inode());
    }
    locks.unlock();
  }

  private MetaRequest closing(long bytes, long wroteNs) {
    return MetaRequest.of(MetaOp.CLOSE, engine.caller(), inode(), bytes, mayWrite ? 1 : 0, 0, 0, wroteNs);
  }
}
