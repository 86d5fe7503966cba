package dev.weft.pvfs.nio;

import dev.weft.pvfs.files.PvfsException;
import dev.weft.pvfs.files.PvfsLock;
import java.io.IOException;
import java.nio.channels.AsynchronousFileChannel;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;

/** A lock of a channel. A lock with size 0 reaches to the end of the file, wherever that is: its size here is that up to the last possible byte. */
final class ChannelLock extends FileLock {
  private final OpenFile open;
  private final FileLocks locks;
  /** Null while the lock is awaited and after its release. */
  private PvfsLock held;

  ChannelLock(FileChannel channel, OpenFile open, FileLocks locks, long position, long size, boolean isShared) {
    super(channel, position, reach(position, size), isShared);
    this.open = open;
    this.locks = locks;
  }

  ChannelLock(AsynchronousFileChannel channel, OpenFile open, FileLocks locks, long position, long size, boolean isShared) {
    super(channel, position, reach(position, size), isShared);
    this.open = open;
    this.locks = locks;
  }

  private static long reach(long position, long size) {
    return size == 0 ? Long.MAX_VALUE - Math.max(0, position) : size;
  }

  /** Returns the size as the manager takes it: 0 means to the end of the file. */
  long manager() {
    return size() == Long.MAX_VALUE - position() ? 0 : size();
  }

  private long last() {
    return size() == 0 ? Long.MAX_VALUE : position() + size() - 1;
  }

  boolean overlapsAny(ChannelLock other) {
    return position() <= other.last() && other.position() <= last();
  }

  boolean isOf(OpenFile file) {
    return open == file;
  }

  synchronized void hold(PvfsLock lock) {
    held = lock;
  }

  synchronized boolean isHeld() {
    return held != null;
  }

  @Override
  public synchronized boolean isValid() {
    return held != null && acquiredBy().isOpen();
  }

  @Override
  public void release() throws IOException {
    PvfsLock lock;
    synchronized (this) {
      if (!acquiredBy().isOpen()) {
        throw new ClosedChannelException();
      }
      lock = held;
      held = null;
    }
    if (lock == null) {
      return;
    }
    try {
      lock.close();
    } catch (PvfsException failed) {
      throw open.failure(failed);
    } catch (IllegalStateException ended) {
      throw Failures.ended(ended);
    } finally {
      locks.remove(open.file.inode(), this);
    }
  }
}
