package dev.weft.pvfs.nio;

import dev.weft.pvfs.files.PvfsException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ReadOnlyBufferException;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.AsynchronousFileChannel;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.CompletionHandler;
import java.nio.channels.FileLock;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A channel whose operations do not wait. Handlers run on the channel's executor, or on threads of the common pool if it has none or the executor was
 * shut down. If the future of an operation is cancelled, the operation goes on; a lock is no longer awaited, or is given back. At most
 * {@code weft.pvfs.client.tasks-max} operations may be under way; further ones fail.
 */
final class PvfsAsynchronousFileChannel extends AsynchronousFileChannel {
  private static final Logger LOG = LoggerFactory.getLogger(PvfsAsynchronousFileChannel.class);

  private final OpenFile open;
  private final Executor executor;
  private final AtomicBoolean closed = new AtomicBoolean();

  PvfsAsynchronousFileChannel(OpenFile open, Executor executor) {
    this.open = open;
    this.executor = executor;
  }

  @Override
  public boolean isOpen() {
    return !closed.get();
  }

  @Override
  public void close() throws IOException {
    if (closed.compareAndSet(false, true)) {
      open.close();
    }
  }

  private interface Begin {
    CompletionStage<Integer> run() throws IOException;
  }

  private CompletableFuture<Integer> begin(Begin action) {
    if (closed.get()) {
      return CompletableFuture.failedFuture(new ClosedChannelException());
    }
    CompletableFuture<Integer> done = new CompletableFuture<>();
    try {
      action.run().whenComplete((bytes, failed) -> onExecutor(() -> {
        if (failed == null) {
          done.complete(bytes);
        } else {
          done.completeExceptionally(translated(failed));
        }
      }));
    } catch (IOException failed) {
      done.completeExceptionally(translated(failed));
    }
    return done;
  }

  /** Runs on the executor, or, if that accepts no more tasks, on the common pool: each operation must complete. */
  private void onExecutor(Runnable end) {
    try {
      executor.execute(end);
    } catch (RejectedExecutionException isShutDown) {
      ForkJoinPool.commonPool().execute(end);
    }
  }

  private Throwable translated(Throwable failed) {
    Throwable cause = failed instanceof CompletionException && failed.getCause() != null ? failed.getCause() : failed;
    if (closed.get()) {
      return new AsynchronousCloseException().initCause(cause);
    }
    return cause instanceof PvfsException said ? open.failure(said) : cause;
  }

  private CompletableFuture<Integer> beginRead(ByteBuffer to, long position) {
    OpenFile.requirePosition(position, "the position");
    if (to.isReadOnly()) {
      throw (IllegalArgumentException) new IllegalArgumentException("a buffer to read into that is read-only").initCause(new ReadOnlyBufferException());
    }
    open.requireReadable();
    return begin(() -> {
      ByteBuffer within = OpenFile.within(to, position);
      if (!within.hasRemaining()) {
        return CompletableFuture.completedStage(to.hasRemaining() ? -1 : 0);
      }
      return open.file.readAsync(within, position).thenApply(bytes -> {
        to.position(within.position());
        return bytes == 0 ? -1 : bytes;
      });
    });
  }

  private CompletableFuture<Integer> beginWrite(ByteBuffer from, long position) {
    OpenFile.requirePosition(position, "the position");
    open.requireWritable();
    return begin(() -> {
      open.requireReach(from, position);
      CompletionStage<Integer> written = from.hasRemaining() ? open.file.writeAsync(from, position) : CompletableFuture.completedStage(0);
      return open.wish.syncs() ? written.thenCompose(this::synced) : written;
    });
  }

  private CompletionStage<Integer> synced(int bytes) {
    try {
      return open.file.syncAsync().thenApply(_ -> bytes);
    } catch (PvfsException failed) {
      return CompletableFuture.failedStage(failed);
    }
  }

  private static void requireHandler(CompletionHandler<?, ?> handler) {
    Objects.requireNonNull(handler, "a handler"); // Before the operation begins.
  }

  /**
   * Calls the handler on the executor, even if the operation has completed at once: a handler that begins the next operation must not be called
   * recursively.
   */
  private <T, A> void tell(CompletableFuture<T> done, A attachment, CompletionHandler<T, ? super A> handler) {
    done.whenCompleteAsync((result, failed) -> {
      try {
        if (failed == null) {
          handler.completed(result, attachment);
        } else {
          handler.failed(failed, attachment);
        }
      } catch (RuntimeException | Error thrown) {
        Thread thread = Thread.currentThread();
        thread.getUncaughtExceptionHandler().uncaughtException(thread, thrown);
      }
    }, this::onExecutor);
  }

  @Override
  public <A> void read(ByteBuffer to, long position, A attachment, CompletionHandler<Integer, ? super A> handler) {
    requireHandler(handler);
    tell(beginRead(to, position), attachment, handler);
  }

  @Override
  public Future<Integer> read(ByteBuffer to, long position) {
    return beginRead(to, position);
  }

  @Override
  public <A> void write(ByteBuffer from, long position, A attachment, CompletionHandler<Integer, ? super A> handler) {
    requireHandler(handler);
    tell(beginWrite(from, position), attachment, handler);
  }

  @Override
  public Future<Integer> write(ByteBuffer from, long position) {
    return beginWrite(from, position);
  }

  private interface Io<T> {
    T run() throws IOException;
  }

  private <T> T io(Io<T> action) throws IOException {
    if (closed.get()) {
      throw new ClosedChannelException();
    }
    try {
      return action.run();
    } catch (PvfsException failed) {
      throw open.failure(failed);
    } catch (IllegalStateException ended) {
      throw Failures.ended(ended);
    }
  }

  @Override
  public long size() throws IOException {
    return io(open.file::size);
  }

  @Override
  public AsynchronousFileChannel truncate(long bytes) throws IOException {
    OpenFile.requirePosition(bytes, "the size");
    open.requireWritable();
    return io(() -> {
      open.cut(bytes);
      return this;
    });
  }

  @Override
  public void force(boolean withMetadata) throws IOException {
    io(() -> {
      open.file.sync();
      return null;
    });
  }

  private ChannelLock newLock(long position, long size, boolean isShared) {
    ChannelLock lock = new ChannelLock(this, open, open.path.getFileSystem().locks(), position, size, isShared);
    open.requireLockable(isShared);
    return lock;
  }

  /** A separate thread waits for the manager. */
  private CompletableFuture<FileLock> beginLock(long position, long size, boolean isShared) {
    ChannelLock lock = newLock(position, size, isShared);
    CompletableFuture<FileLock> done = new CompletableFuture<>();
    if (closed.get()) {
      done.completeExceptionally(new ClosedChannelException());
      return done;
    }
    open.path.getFileSystem().locks().reserve(open, lock);
    Thread waits = Thread.ofVirtual().unstarted(() -> awaitLock(lock, done));
    done.whenComplete((_, _) -> {
      if (done.isCancelled()) {
        waits.interrupt();
      }
    });
    waits.start();
    return done;
  }

  private void awaitLock(ChannelLock lock, CompletableFuture<FileLock> done) {
    try {
      FileLock held = open.path.getFileSystem().locks().await(open, lock);
      onExecutor(() -> {
        if (!done.complete(held)) {
          Thread.ofVirtual().start(() -> giveBack(held));
        }
      });
    } catch (IOException | RuntimeException failed) {
      onExecutor(() -> done.completeExceptionally(translated(failed)));
    }
  }

  /** Releases a lock that arrived after its future was cancelled: no other code could release it. */
  private static void giveBack(FileLock unwanted) {
    try {
      unwanted.release();
    } catch (IOException failed) {
      LOG.debug("a lock that nobody wants goes with its channel: {}", failed.getMessage());
    }
  }

  @Override
  public <A> void lock(long position, long size, boolean isShared, A attachment, CompletionHandler<FileLock, ? super A> handler) {
    requireHandler(handler);
    tell(beginLock(position, size, isShared), attachment, handler);
  }

  @Override
  public Future<FileLock> lock(long position, long size, boolean isShared) {
    return beginLock(position, size, isShared);
  }

  @Override
  public FileLock tryLock(long position, long size, boolean isShared) throws IOException {
    if (closed.get()) {
      throw new ClosedChannelException();
    }
    return open.path.getFileSystem().locks().tryLock(open, newLock(position, size, isShared));
  }
}
