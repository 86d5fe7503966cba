package dev.weft.pvfs.files;

import dev.weft.pvfs.Errno;
import dev.weft.pvfs.client.DataClient;
import dev.weft.pvfs.client.IoTask;
import dev.weft.pvfs.layout.Striping;
import dev.weft.pvfs.meta.MetaClient;
import dev.weft.pvfs.wire.Caller;
import dev.weft.pvfs.wire.DaemonOp;
import dev.weft.pvfs.wire.FileAttributes;
import dev.weft.pvfs.wire.MetaOp;
import dev.weft.pvfs.wire.MetaRequest;
import java.io.Closeable;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * An open file. Any thread; operations on it may overlap, and then their order is open, as those of {@code pread(2)} and {@code pwrite(2)} on one
 * descriptor are. What a write has been answered with is seen by every read that begins later, on any node. A write over several stripes is not atomic:
 * a read beside it may see some of it.
 *
 * <p>Memory must be native and of a shared, automatic or global arena; what the fabric allocates ({@code Hca.allocMemory}) and other native memory moves
 * without a copy where it is longer than {@code weft.pvfs.client.fast}.
 */
public final class PvfsFile implements Closeable {
  private final String path;
  private final FileAttributes attributes;
  private final MetaClient meta;
  private final DataClient data;
  private final Caller caller;
  private final boolean mayRead;
  private final boolean mayWrite;
  private final AtomicBoolean closed = new AtomicBoolean();
  private volatile boolean written;

  PvfsFile(String path, FileAttributes attributes, MetaClient meta, DataClient data, Caller caller, boolean mayRead, boolean mayWrite) {
    this.path = path;
    this.attributes = attributes;
    this.meta = meta;
    this.data = data;
    this.caller = caller;
    this.mayRead = mayRead;
    this.mayWrite = mayWrite;
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

  /** Writes all of {@code from} at {@code offset}. When this throws, some of it may be written. */
  public void write(MemorySegment from, long offset) throws PvfsException {
    writeList(new long[] {offset}, new long[] {from.byteSize()}, from);
  }

  /**
   * List I/O: reads ranges of the file, in order, into pieces of memory, which need not be cut alike but have as many bytes together.
   *
   * @return bytes that the file has of the ranges
   */
  public long readList(long[] offsets, long[] lengths, MemorySegment... to) throws PvfsException {
    requireOpen(mayRead, "read");
    return checked(data.call(DaemonOp.READ, inode(), striping(), offsets.clone(), lengths.clone(), to.clone()), "read").bytes();
  }

  /** List I/O: writes pieces of memory to ranges of the file, as {@link #readList}. */
  public void writeList(long[] offsets, long[] lengths, MemorySegment... from) throws PvfsException {
    requireOpen(mayWrite, "written");
    written = true;
    checked(data.call(DaemonOp.WRITE, inode(), striping(), offsets.clone(), lengths.clone(), from.clone()), "write");
  }

  /**
   * As {@link #read}, without waiting. The stage completes on a thread of the common pool.
   *
   * @return fails with a {@link PvfsException}; with EAGAIN if {@code weft.pvfs.client.tasks-max} operations are under way
   */
  public CompletionStage<Long> readAsync(MemorySegment to, long offset) throws PvfsException {
    requireOpen(mayRead, "read");
    return begin(DaemonOp.READ, to, offset, "read");
  }

  /** As {@link #write}, without waiting; the rest as {@link #readAsync}. The stage has the number of bytes. */
  public CompletionStage<Long> writeAsync(MemorySegment from, long offset) throws PvfsException {
    requireOpen(mayWrite, "written");
    written = true;
    return begin(DaemonOp.WRITE, from, offset, "write");
  }

  private CompletionStage<Long> begin(DaemonOp op, MemorySegment memory, long offset, String what) {
    CompletableFuture<IoTask> done = new CompletableFuture<>();
    IoTask begun = data.begin(op, inode(), striping(), new long[] {offset}, new long[] {memory.byteSize()}, new MemorySegment[] {memory},
        task -> done.completeAsync(() -> task));
    if (begun == null) {
      return CompletableFuture.failedStage(new PvfsException(Errno.EAGAIN, what + " " + path + ": as many operations as there may be are under way"));
    }
    return done.thenCompose(task -> task.errno() == Errno.OK ? CompletableFuture.completedStage(task.bytes())
        : CompletableFuture.failedStage(new PvfsException(task.errno(), what + " " + path)));
  }

  /** Its length, as the daemons have it now. */
  public long size() throws PvfsException {
    requireOpen(true, "asked");
    return checked(data.stat(inode(), striping()), "size of").fileBytes();
  }

  /** Cuts or extends it; what is added reads as zeros. */
  public void truncate(long bytes) throws PvfsException {
    requireOpen(mayWrite, "written");
    if (bytes < 0 || bytes > Striping.FILE_BYTES_MAX) {
      throw new IllegalArgumentException("a length of " + bytes + " bytes, must be from 0 to " + Striping.FILE_BYTES_MAX);
    }
    written = true;
    checked(data.truncate(inode(), striping(), bytes), "truncate");
  }

  /** Makes a range zeros and gives back what it took; the length stays. */
  public void punch(long offset, long bytes) throws PvfsException {
    requireOpen(mayWrite, "written");
    written = true;
    checked(data.punch(inode(), striping(), offset, bytes), "punch");
  }

  /** Returns when all that was written is on the disks of all its daemons; at once where they have it in memory only. */
  public void sync() throws PvfsException {
    requireOpen(true, "synced");
    checked(data.sync(inode(), striping()), "sync");
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

  /** Tells the manager its length, if it was written, and that it is not open here any more. Idempotent. */
  @Override
  public void close() throws PvfsException {
    if (closed.compareAndSet(false, true)) {
      long bytes = -1; // Not written; -2 if the daemons do not say the length.
      if (written) {
        IoTask stat = data.stat(inode(), striping());
        bytes = stat.errno() == Errno.OK ? stat.fileBytes() : -2;
      }
      int errno = meta.ask(MetaRequest.of(MetaOp.CLOSE, caller, inode(), bytes, mayWrite ? 1 : 0, 0)).errno();
      if (errno != Errno.OK) {
        throw new PvfsException(errno, "close " + path);
      }
    }
  }
}
