package dev.weft.pvfs.fuse;

import static dev.weft.pvfs.Errno.EIO;

import dev.weft.pvfs.fuse.LinuxCalls.Call;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A connection with the kernel: its descriptors, the threads that read them, and the outstanding requests. It begins with the negotiation and ends
 * once.
 */
final class FuseSession {
  private static final long NEGOTIATION_S = 10;
  private static final long WAKE_INTERVAL_MS = 5;
  private static final long JOIN_MS = 2_000;

  private final FuseFileSystem files;
  private final FuseOptions options;
  private final Outstanding outstanding;
  private final RequestBuffers buffers;
  private final RequestHandler handler;
  private final Descriptor primary;
  private final List<Descriptor> descriptors = new CopyOnWriteArrayList<>();
  private final List<Worker> workers = new CopyOnWriteArrayList<>();
  private final AtomicBoolean isDestroyed = new AtomicBoolean();
  private final CompletableFuture<Void> ended = new CompletableFuture<>();
  private final AtomicBoolean isEndedByKernel = new AtomicBoolean();
  private volatile Runnable whenKernelEnds = () -> { };
  private volatile boolean isClosing;

  FuseSession(FuseFileSystem files, FuseOptions options, int fd) {
    this.files = files;
    this.options = options;
    outstanding = new Outstanding(options.inFlightMax, options.waitingLocksMax);
    buffers = new RequestBuffers(options.buffersMax + options.threads, options.transferBytes);
    handler = new RequestHandler(files, options, outstanding, buffers);
    primary = new Descriptor(fd);
    descriptors.add(primary);
  }

  Outstanding outstanding() {
    return outstanding;
  }

  RequestBuffers buffers() {
    return buffers;
  }

  RequestHandler handler() {
    return handler;
  }

  boolean isClosing() {
    return isClosing;
  }

  /** Sets an action for the case that the kernel ends the connection; it runs on a separate thread. */
  void whenKernelEnds(Runnable action) {
    whenKernelEnds = action;
  }

  boolean isEndedByKernel() {
    return isEndedByKernel.get();
  }

  /** Completes when the kernel has ended it or it was closed. */
  CompletableFuture<Void> ended() {
    return ended;
  }

  /** Negotiates, then serves with all threads. */
  Negotiation start() throws IOException {
    WakeSignal.install();
    files.start(new Notifications(primary));
    startWorker(primary);
    Negotiation negotiation = awaitNegotiation();
    for (int i = 1; i < options.threads; i++) {
      startWorker(cloned());
    }
    return negotiation;
  }

  private Negotiation awaitNegotiation() throws IOException {
    try {
      return handler.negotiated().get(NEGOTIATION_S, TimeUnit.SECONDS);
    } catch (ExecutionException refused) {
      throw new IOException("the kernel and this file system do not agree: " + refused.getCause().getMessage(), refused.getCause());
    } catch (TimeoutException silent) {
      throw new IOException("the kernel has not begun to speak FUSE within " + NEGOTIATION_S + " s", silent);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while it was mounted", interrupted);
    }
  }

  /** Returns a further descriptor of the connection, with its own queue of requests in progress; the first one if the device cannot be opened again. */
  private Descriptor cloned() {
    int fd = LinuxCalls.open(Mounts.DEVICE, LinuxCalls.READ_WRITE_CLOSE_ON_EXEC);
    if (fd < 0) {
      return primary;
    }
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment number = arena.allocateFrom(ValueLayout.JAVA_INT, primary.fd());
      if (LinuxCalls.call(Call.IOCTL, fd, Protocol.CLONE, number.address()) < 0) {
        LinuxCalls.close(fd);
        return primary;
      }
    }
    Descriptor clone = new Descriptor(fd);
    descriptors.add(clone);
    return clone;
  }

  private void startWorker(Descriptor descriptor) {
    Worker worker = new Worker(this, descriptor, "fuse-" + options.name + "-" + (workers.size() + 1));
    workers.add(worker);
    worker.start();
  }

  /** A thread has nothing more to read: the kernel has ended the connection, unless this session ends it. */
  void workerEnded() {
    if (!isClosing && !handler.negotiated().isDone()) {
      handler.negotiated().completeExceptionally(new IOException("the connection has ended before the negotiation"));
    } else if (!isClosing && isEndedByKernel.compareAndSet(false, true)) {
      Thread.ofPlatform().daemon().name("fuse-" + options.name + "-end").start(this::closeAfterKernel);
    }
  }

  private void closeAfterKernel() {
    try {
      whenKernelEnds.run();
    } finally {
      close();
    }
  }

  /**
   * Ends the session: answers outstanding requests with EIO, ends the threads, and closes the descriptors, so that the kernel ends the connection.
   * Any thread except its own.
   */
  void close() {
    if (!isDestroyed.compareAndSet(false, true)) {
      ended.join();
      return;
    }
    isClosing = true;
    try {
      outstanding.abort(EIO);
      endWorkers();
      outstanding.abort(EIO); // Requests that the last thread read meanwhile.
      descriptors.forEach(Descriptor::close);
      files.destroy();
    } catch (RuntimeException failed) {
      handler.logOnce(Protocol.DESTROY, "the file system has failed at its end", failed);
    } finally {
      ended.complete(null);
    }
  }

  /** A thread inside the file system may take longer than this waits; it ends when it returns. */
  private void endWorkers() {
    long deadlineNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(JOIN_MS);
    List<Worker> alive = new ArrayList<>(workers);
    try {
      while (!alive.isEmpty() && System.nanoTime() < deadlineNs) {
        alive.removeIf(worker -> worker.isCurrent() || !worker.isAlive());
        alive.forEach(Worker::wake);
        if (!alive.isEmpty() && alive.getFirst().join(WAKE_INTERVAL_MS)) {
          alive.removeFirst();
        }
        outstanding.abort(EIO);
      }
      handler.endLongWaits(Math.max(1, TimeUnit.NANOSECONDS.toMillis(deadlineNs - System.nanoTime())));
    } catch (InterruptedException impatient) {
      Thread.currentThread().interrupt();
    }
  }
}
