package dev.weft.pvfs.nio;

import dev.weft.pvfs.Errno;
import dev.weft.pvfs.InterruptedCallException;
import dev.weft.pvfs.files.PvfsException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.Channel;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.util.Objects;

/**
 * A channel of a file. Any thread. Operations that use the channel's position wait for each other; others do not. If a thread is interrupted while it
 * waits for daemons, the channel closes, as {@code InterruptibleChannel} specifies; the operation may go on.
 */
final class PvfsFileChannel extends FileChannel {
  /** Bytes that {@code transferTo} and {@code transferFrom} move at a time. */
  private static final int PIECE_BYTES = 1 << 20;

  private final OpenFile open;
  private final Object positionLock = new Object();
  private long position;

  PvfsFileChannel(OpenFile open) {
    this.open = open;
  }

  private interface Io<T> {
    T run() throws IOException;
  }

  private void requireOpen() throws ClosedChannelException {
    if (!isOpen()) {
      throw new ClosedChannelException();
    }
  }

  private <T> T io(Io<T> action) throws IOException {
    requireOpen();
    requireNoInterrupt();
    try {
      return action.run();
    } catch (PvfsException failed) {
      if (!isOpen()) {
        throw (IOException) new ClosedChannelException().initCause(failed);
      }
      throw failed.errno() == Errno.EINTR ? interrupted(failed) : open.failure(failed);
    } catch (InterruptedCallException ended) {
      throw interrupted(ended);
    } catch (IllegalStateException ended) {
      throw Failures.ended(ended);
    }
  }

  private IOException interrupted(Exception why) throws IOException {
    close();
    return (IOException) new ClosedByInterruptException().initCause(why);
  }

  /** A thread that is already interrupted begins no operation. */
  private void requireNoInterrupt() throws IOException {
    if (Thread.currentThread().isInterrupted()) {
      close();
      throw new ClosedByInterruptException();
    }
  }

  @Override
  public int read(ByteBuffer to) throws IOException {
    return (int) read(new ByteBuffer[] {to}, 0, 1);
  }

  @Override
  public long read(ByteBuffer[] to, int offset, int length) throws IOException {
    Objects.checkFromIndexSize(offset, length, to.length);
    open.requireReadable();
    synchronized (positionLock) {
      return io(() -> {
        long done = 0;
        for (int i = offset; i < offset + length; i++) {
          int wanted = to[i].remaining();
          int bytes = open.read(to[i], position);
          if (bytes > 0) {
            done += bytes;
            position += bytes;
          }
          if (bytes < wanted) {
            return done == 0 && bytes < 0 ? -1 : done;
          }
        }
        return done;
      });
    }
  }

  @Override
  public int write(ByteBuffer from) throws IOException {
    return (int) write(new ByteBuffer[] {from}, 0, 1);
  }

  @Override
  public long write(ByteBuffer[] from, int offset, int length) throws IOException {
    Objects.checkFromIndexSize(offset, length, from.length);
    open.requireWritable();
    synchronized (positionLock) {
      return io(() -> {
        long done = 0;
        for (int i = offset; i < offset + length; i++) {
          int before = from[i].position();
          try {
            done += open.write(from[i], position);
          } finally {
            position += from[i].position() - before; // Counts the bytes that were written before a failure.
          }
        }
        return done;
      });
    }
  }

  @Override
  public int read(ByteBuffer to, long at) throws IOException {
    OpenFile.requirePosition(at, "the position");
    open.requireReadable();
    return io(() -> open.read(to, at));
  }

  /** If the channel appends, writes at the end wherever {@code at} is, as {@code pwrite(2)} does on Linux. */
  @Override
  public int write(ByteBuffer from, long at) throws IOException {
    OpenFile.requirePosition(at, "the position");
    open.requireWritable();
    int before = from.position();
    boolean isDone = false;
    try {
      int bytes = io(() -> open.write(from, at));
      isDone = true;
      return bytes;
    } finally {
      if (!isDone && !open.wish.appends()) {
        from.position(before); // A program that repeats the write begins at the same byte.
      }
    }
  }

  @Override
  public long position() throws IOException {
    synchronized (positionLock) {
      return io(() -> open.wish.appends() ? open.file.size() : position);
    }
  }

  @Override
  public FileChannel position(long to) throws IOException {
    requireOpen();
    OpenFile.requirePosition(to, "the position");
    synchronized (positionLock) {
      position = to;
      return this;
    }
  }

  @Override
  public long size() throws IOException {
    return io(open.file::size);
  }

  @Override
  public FileChannel truncate(long bytes) throws IOException {
    requireOpen();
    OpenFile.requirePosition(bytes, "the size");
    open.requireWritable();
    synchronized (positionLock) {
      return io(() -> {
        open.cut(bytes);
        position = Math.min(position, bytes);
        return this;
      });
    }
  }

  @Override
  public void force(boolean withMetadata) throws IOException {
    io(() -> {
      open.file.sync();
      return null;
    });
  }

  @Override
  public long transferTo(long from, long bytes, WritableByteChannel to) throws IOException {
    requireOpen(to);
    open.requireReadable();
    if (to instanceof PvfsFileChannel its) {
      its.open.requireWritable();
    }
    OpenFile.requirePosition(from, "the position");
    OpenFile.requirePosition(bytes, "the count");
    long has = bounded(bytes, from, to);
    ByteBuffer buffer = buffer(has);
    long done = 0;
    while (done < has) {
      buffer.clear().limit((int) Math.min(buffer.capacity(), has - done));
      if (read(buffer, from + done) <= 0) {
        break;
      }
      buffer.flip();
      while (buffer.hasRemaining()) {
        int written = to.write(buffer);
        done += written;
        if (written == 0) {
          return done; // The target does not block.
        }
      }
    }
    return done;
  }

  @Override
  public long transferFrom(ReadableByteChannel from, long to, long bytes) throws IOException {
    requireOpen(from);
    open.requireWritable();
    if (from instanceof PvfsFileChannel its) {
      its.open.requireReadable();
    }
    OpenFile.requirePosition(to, "the position");
    OpenFile.requirePosition(bytes, "the count");
    long has = from instanceof PvfsFileChannel its ? its.bounded(bytes, its.position(), this) : bytes;
    ByteBuffer buffer = buffer(has);
    long done = 0;
    while (done < has) {
      buffer.clear().limit((int) Math.min(buffer.capacity(), has - done));
      if (from.read(buffer) <= 0) {
        break;
      }
      done += write(buffer.flip(), to + done);
    }
    return done;
  }

  /** Checks both ends of a transfer before anything moves. */
  private void requireOpen(Channel other) throws IOException {
    requireOpen();
    if (!other.isOpen()) {
      throw new ClosedChannelException();
    }
  }

  /**
   * Returns the bytes of a transfer from this channel. Within one file the transfer ends at the file's end as of its beginning, so it does not copy
   * its own output.
   */
  private long bounded(long bytes, long from, Channel other) throws IOException {
    boolean isSameFile = other instanceof PvfsFileChannel its && its.open.file.inode() == open.file.inode();
    return isSameFile ? Math.clamp(size() - from, 0, bytes) : bytes;
  }

  private static ByteBuffer buffer(long bytes) {
    return ByteBuffer.allocateDirect(Math.clamp(bytes, 1, PIECE_BYTES));
  }

  @Override
  public MappedByteBuffer map(MapMode mode, long from, long bytes) {
    throw new UnsupportedOperationException("a program cannot map memory of I/O daemons; read into memory, or map the file of a mount");
  }

  private ChannelLock newLock(long from, long bytes, boolean isShared) throws ClosedChannelException {
    requireOpen();
    ChannelLock lock = new ChannelLock(this, open, open.path.getFileSystem().locks(), from, bytes, isShared);
    open.requireLockable(isShared);
    return lock;
  }

  /** Locks a range among all clients and mounts of the file system. */
  @Override
  public FileLock lock(long from, long bytes, boolean isShared) throws IOException {
    return open.path.getFileSystem().locks().lock(open, newLock(from, bytes, isShared));
  }

  @Override
  public FileLock tryLock(long from, long bytes, boolean isShared) throws IOException {
    return open.path.getFileSystem().locks().tryLock(open, newLock(from, bytes, isShared));
  }

  @Override
  protected void implCloseChannel() throws IOException {
    open.close();
  }
}
