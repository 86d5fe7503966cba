package dev.weft.pvfs.nio;

import dev.weft.pvfs.Errno;
import dev.weft.pvfs.files.PvfsException;
import dev.weft.pvfs.files.PvfsLock;
import java.io.IOException;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.FileLock;
import java.nio.channels.FileLockInterruptionException;
import java.nio.channels.OverlappingFileLockException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Locks that channels of this JVM have or wait for. The manager decides between clients. This class rejects overlapping locks within the JVM, as
 * {@code FileLock} requires. Any thread.
 */
final class FileLocks {
  /** How long one wait for the manager lasts. Between waits, this notices that the channel was closed. */
  private static final Duration TURN = Duration.ofSeconds(2);

  private final Map<Long, List<ChannelLock>> locks = new HashMap<>();

  /** @throws OverlappingFileLockException if this JVM has, or waits for, a lock of the same bytes */
  private synchronized void add(long inode, ChannelLock lock) {
    List<ChannelLock> all = locks.computeIfAbsent(inode, _ -> new ArrayList<>());
    if (all.stream().anyMatch(other -> other.overlapsAny(lock))) {
      throw new OverlappingFileLockException();
    }
    all.add(lock);
  }

  synchronized void remove(long inode, ChannelLock lock) {
    locks.computeIfPresent(inode, (_, all) -> {
      all.remove(lock);
      return all.isEmpty() ? null : all;
    });
  }

  /** Returns null if another client has the lock. */
  FileLock tryLock(OpenFile open, ChannelLock lock) throws IOException {
    add(open.file.inode(), lock);
    try {
      PvfsLock held = open.file.tryLock(lock.position(), lock.manager(), lock.isShared());
      if (held != null) {
        lock.hold(held);
        return lock;
      }
      return null;
    } catch (PvfsException failed) {
      throw open.failure(failed);
    } catch (IllegalStateException ended) {
      throw Failures.ended(ended);
    } finally {
      if (!lock.isHeld()) {
        remove(open.file.inode(), lock);
      }
    }
  }

  /** Waits until the lock is held, the channel is closed, or the thread is interrupted. */
  FileLock lock(OpenFile open, ChannelLock lock) throws IOException {
    reserve(open, lock);
    return await(open, lock);
  }

  /** Marks a lock as awaited, so others of this JVM cannot take it. */
  void reserve(OpenFile open, ChannelLock lock) {
    add(open.file.inode(), lock);
  }

  /** Waits for a reserved lock. */
  FileLock await(OpenFile open, ChannelLock lock) throws IOException {
    try {
      while (!lock.isHeld()) {
        if (!lock.acquiredBy().isOpen()) {
          throw new AsynchronousCloseException();
        }
        turn(open, lock);
      }
      return lock;
    } finally {
      if (!lock.isHeld()) {
        remove(open.file.inode(), lock);
      }
    }
  }

  private static void turn(OpenFile open, ChannelLock lock) throws IOException {
    try {
      lock.hold(open.file.lock(lock.position(), lock.manager(), lock.isShared(), TURN));
    } catch (PvfsException failed) {
      if (failed.errno() == Errno.EINTR) {
        throw (IOException) new FileLockInterruptionException().initCause(failed);
      }
      if (failed.errno() == Errno.EBADF && !lock.acquiredBy().isOpen()) {
        throw (IOException) new AsynchronousCloseException().initCause(failed);
      }
      if (failed.errno() != Errno.ETIMEDOUT) {
        throw open.failure(failed);
      }
    } catch (IllegalStateException ended) {
      throw Failures.ended(ended);
    }
  }

  /** Forgets the locks of a file that is closed; the file unlocks them itself. */
  synchronized void forget(OpenFile open) {
    locks.computeIfPresent(open.file.inode(), (_, all) -> {
      all.removeIf(lock -> lock.isOf(open));
      return all.isEmpty() ? null : all;
    });
  }
}
