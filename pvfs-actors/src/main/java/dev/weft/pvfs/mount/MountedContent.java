package dev.weft.pvfs.mount;

import dev.weft.pvfs.Errno;
import dev.weft.pvfs.client.DataClient;
import dev.weft.pvfs.client.IoTask;
import dev.weft.pvfs.files.Appends;
import dev.weft.pvfs.fuse.FuseReply;
import dev.weft.pvfs.fuse.FuseStatistics;
import dev.weft.pvfs.layout.Striping;
import dev.weft.pvfs.wire.DaemonOp;
import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;

/** Handles the kernel's requests for the content of open files, by asking the daemons. Any thread. */
final class MountedContent {
  private static final int PUNCH_HOLE = 2;
  private static final int KEEP_SIZE = 1;
  private static final int ZERO_RANGE = 16;
  private static final int BLOCK_BYTES = 4096;
  private static final int NAME_MAX = 255;
  /** Longer data is not copied to the kernel by the hardware thread. */
  private static final int LATER_BYTES_MAX = 64 << 10;
  private static final MemorySegment[] NO_MEMORY = {};

  private final DataClient data;
  private final Appends appends;
  private final MetadataCache cache;

  MountedContent(DataClient data, Appends appends, MetadataCache cache) {
    this.data = data;
    this.appends = appends;
    this.cache = cache;
  }

  static void answer(int errno, FuseReply.Done reply) {
    if (errno == Errno.OK) {
      reply.done();
    } else {
      reply.fail(errno);
    }
  }

  void read(OpenFiles.OpenFile file, long offset, int size, FuseReply.Data reply) {
    if (file == null || offset > Striping.FILE_BYTES_MAX - size) {
      if (file == null) {
        reply.fail(Errno.EBADF);
      } else {
        reply.data();
      }
      return;
    }
    MemorySegment buffer = reply.buffer().asSlice(0, size);
    if (!goesOnLater(DaemonOp.READ, file, offset, buffer, reply, task -> answerRead(task, buffer, reply))) {
      answerRead(data.read(file.inode, file.striping, offset, buffer), buffer, reply);
    }
  }

  /**
   * Begins an operation without a waiting thread, if no other thread would read requests meanwhile: then many operations are under way, however few
   * threads there are. Does so also if many are under way, since many waiting threads take the processor from those that bring the answers. One or
   * two operations are fastest with a thread that waits.
   */
  private boolean goesOnLater(DaemonOp op, OpenFiles.OpenFile file, long offset, MemorySegment memory, FuseReply reply, Consumer<IoTask> then) {
    return memory.byteSize() <= LATER_BYTES_MAX && (reply.isLastReader() || reply.isOneOfMany())
        && data.begin(op, file.inode, file.striping, new long[] {offset}, new long[] {memory.byteSize()}, new MemorySegment[] {memory}, then) != null;
  }

  private static void answerRead(IoTask task, MemorySegment buffer, FuseReply.Data reply) {
    if (task.errno() != Errno.OK) {
      reply.fail(task.errno());
    } else {
      reply.data(buffer.asSlice(0, task.bytes()));
    }
  }

  /**
   * Writes, and answers.
   *
   * @param isAppend writes at the end, wherever that is
   * @param syncs whether to answer only when the data is on the disks of the daemons
   */
  void write(OpenFiles.OpenFile file, long offset, MemorySegment from, boolean isAppend, boolean syncs, FuseReply.Count reply) {
    if (offset > Striping.FILE_BYTES_MAX - from.byteSize()) {
      reply.fail(Errno.EFBIG);
      return;
    }
    if (isAppend) {
      append(file, from, syncs, reply);
    } else if (syncs
        || !goesOnLater(DaemonOp.WRITE, file, offset, from, reply, task -> answerWrite(file, written(file, task, offset), from.byteSize(), false, reply))) {
      answerWrite(file, written(file, data.write(file.inode, file.striping, offset, from), offset), from.byteSize(), syncs, reply);
    }
  }

  /** Records the write, even if it has failed: some daemons may have their part of it. */
  private static long written(OpenFiles.OpenFile file, IoTask task, long offset) {
    file.writing().write(task.wroteNs());
    return task.errno() == Errno.OK ? offset : -task.errno();
  }

  private void answerWrite(OpenFiles.OpenFile file, long at, long bytes, boolean syncs, FuseReply.Count reply) {
    if (at < 0) {
      if (at != -Errno.EINTR) { // This error has written nothing.
        cache.dropWriter(file.inode); // Some daemons may have their part of it: from now on they are asked for the length.
      }
      reply.fail((int) -at);
      return;
    }
    extended(file, at + bytes);
    int errno = syncs ? data.sync(file.inode, file.striping, file.losses) : Errno.OK;
    if (errno == Errno.OK) {
      reply.count(bytes);
    } else {
      reply.fail(errno);
    }
  }

  /** Appends. This may wait minutes for other appenders; the last thread that reads requests, and so signals, must not wait. */
  private void append(OpenFiles.OpenFile file, MemorySegment from, boolean syncs, FuseReply.Count reply) {
    Runnable append = () -> answerWrite(file, appended(file, from, reply), from.byteSize(), syncs, reply);
    if (!reply.isLastReader()) {
      append.run();
    } else if (!reply.runLater(append)) {
      reply.fail(Errno.ENOLCK);
    }
  }

  /** Appends; a signal ends the wait for other appenders. */
  private long appended(OpenFiles.OpenFile file, MemorySegment from, FuseReply.Count reply) {
    try (Interruption signal = new Interruption()) {
      reply.onInterrupt(signal::come);
      return appends.append(file.inode, file.striping, from, () -> knownEnd(file.inode), file.writing()::write);
    }
  }

  private long knownEnd(long inode) {
    SoleWriter writer = cache.writer(inode);
    return writer == null ? Appends.UNKNOWN : writer.bytes();
  }

  private void extended(OpenFiles.OpenFile file, long end) {
    SoleWriter writer = cache.writer(file.inode);
    if (writer != null) {
      writer.extend(end);
    }
  }

  void sync(OpenFiles.OpenFile file, FuseReply.Done reply) {
    answer(file == null ? Errno.EBADF : data.sync(file.inode, file.striping, file.losses), reply);
  }

  /**
   * Punches, zeroes or extends. Daemons do not reserve space: for a range that changes neither content nor length, this only checks that there is
   * some.
   */
  void allocate(OpenFiles.OpenFile file, int mode, long offset, long bytes, FuseReply.Done reply) {
    int errno = whyNotAllocated(file, mode, offset, bytes);
    if (errno == Errno.OK && (mode & (PUNCH_HOLE | ZERO_RANGE)) != 0) {
      errno = change(file, DaemonOp.PUNCH, offset, bytes);
    }
    boolean extendsIt = (mode & KEEP_SIZE) == 0;
    if (errno == Errno.OK && extendsIt) {
      errno = change(file, DaemonOp.EXTEND, offset + bytes, 0);
    }
    if (errno == Errno.OK && extendsIt) {
      extended(file, offset + bytes);
    }
    answer(errno, reply);
  }

  private int whyNotAllocated(OpenFiles.OpenFile file, int mode, long offset, long bytes) {
    if (file == null || file.writing() == null) {
      return Errno.EBADF;
    }
    if ((mode & ~(PUNCH_HOLE | KEEP_SIZE | ZERO_RANGE)) != 0) {
      return Errno.ENOTSUP;
    }
    if (offset > Striping.FILE_BYTES_MAX - bytes) {
      return Errno.EFBIG;
    }
    return mode == KEEP_SIZE ? whyNotRoomFor(file.inode, bytes) : Errno.OK;
  }

  private int whyNotRoomFor(long inode, long bytes) {
    IoTask all = data.room(inode);
    return all.errno() != Errno.OK ? all.errno() : bytes <= all.freeBytes() ? Errno.OK : Errno.ENOSPC;
  }

  private int change(OpenFiles.OpenFile file, DaemonOp op, long from, long bytes) {
    IoTask task = data.call(op, file.inode, file.striping, new long[] {from}, new long[] {bytes}, NO_MEMORY);
    file.writing().write(task.wroteNs());
    if (task.errno() != Errno.OK) {
      cache.dropWriter(file.inode);
    }
    return task.errno();
  }

  /** Answers with the space of all daemons together. */
  void statistics(long inode, FuseReply.Statistics reply) {
    IoTask all = data.room(inode);
    if (all.errno() != Errno.OK) {
      reply.fail(all.errno());
      return;
    }
    long free = all.freeBytes() / BLOCK_BYTES;
    reply.statistics(new FuseStatistics(BLOCK_BYTES, all.totalBytes() / BLOCK_BYTES, free, free, 0, 0, NAME_MAX));
  }
}
