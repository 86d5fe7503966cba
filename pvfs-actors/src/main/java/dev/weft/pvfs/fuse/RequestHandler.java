package dev.weft.pvfs.fuse;

import static dev.weft.pvfs.Errno.EIO;

import java.lang.foreign.ValueLayout;
import java.util.concurrent.CompletableFuture;

/**
 * Handles requests that were read. It passes each to the file system as an {@link Exchange}, or handles it in the engine. Never throws, whatever the
 * file system does and whatever the bytes are. Any thread.
 */
final class RequestHandler {
  private static final int FORGET_ONE_BYTES = 16;
  private static final int MANY = 3;

  private final FuseFileSystem files;
  private final FuseOptions options;
  private final Outstanding outstanding;
  private final RequestBuffers buffers;
  private final Dispatcher dispatcher;
  private final CachePolicy cache;
  private final OnceLog log;
  private final LongWaits longWaits;
  private final CompletableFuture<Negotiation> negotiated = new CompletableFuture<>();

  RequestHandler(FuseFileSystem files, FuseOptions options, Outstanding outstanding, RequestBuffers buffers) {
    this.files = files;
    this.options = options;
    this.outstanding = outstanding;
    this.buffers = buffers;
    dispatcher = new Dispatcher(files, outstanding, options.transferBytes);
    cache = new CachePolicy(options.cache, options.entryValidNs, options.attributesValidNs);
    log = new OnceLog(options.name);
    longWaits = new LongWaits(options);
  }

  FuseFileSystem fileSystem() {
    return files;
  }

  CachePolicy cache() {
    return cache;
  }

  CompletableFuture<Negotiation> negotiated() {
    return negotiated;
  }

  /** Returns the number of requests that failed otherwise than by an error of the file system. */
  long failures() {
    return log.count();
  }

  void logOnce(int opcode, String message, Throwable cause) {
    log.say(opcode, message, cause);
  }

  void giveBack(RequestBuffer buffer) {
    buffers.give(buffer);
  }

  /** Whether all threads of the mount are busy with requests. */
  boolean hasNoReader() {
    return outstanding.readers() == 0;
  }

  /** Whether a request is one of three or more that were read and not answered. */
  boolean isOneOfMany() {
    return outstanding.count() - outstanding.waitingLocks() >= MANY;
  }

  void answered(Exchange exchange) {
    outstanding.remove(exchange);
  }

  /** Releases a file whose open the kernel has not learnt, because the calling process has gone. */
  void releaseUnopened(long inode, long handle, boolean isDirectory) {
    if (isDirectory) {
      files.releasedir(inode, handle, NoReply.INSTANCE);
    } else {
      files.release(inode, handle, 0, 0, false, NoReply.INSTANCE);
    }
  }

  /**
   * Handles a request, for which the caller has a place.
   *
   * @param buffer with the request in its first {@code length} bytes
   * @return the buffer if it may take the next request; null if it is kept until the answer
   */
  RequestBuffer handle(ReplyPort port, RequestBuffer buffer, FuseRequest in, int length) {
    if (!in.wrap(buffer.request(), length)) {
      refuseGarbage(port, in);
      outstanding.release();
      return buffer;
    }
    return switch (in.opcode()) {
      case Protocol.FORGET, Protocol.BATCH_FORGET, Protocol.INTERRUPT, Protocol.INIT, Protocol.NOTIFY_REPLY -> {
        control(port, in);
        outstanding.release();
        yield buffer;
      }
      default -> exchange(port, buffer, in);
    };
  }

  private void refuseGarbage(ReplyPort port, FuseRequest in) {
    log.say(-1, "the device gave " + in.length() + " bytes that are no request", null);
    if (in.hasUnique()) {
      ReplyMemory.mine().send(port, in.unique(), -EIO, 0);
    }
  }

  private RequestBuffer exchange(ReplyPort port, RequestBuffer buffer, FuseRequest in) {
    Exchange exchange = new Exchange(this, port, in, buffer);
    outstanding.add(exchange);
    run(exchange, () -> dispatcher.dispatch(in, exchange));
    return exchange.begun();
  }

  private void run(Exchange exchange, Runnable task) {
    try {
      task.run();
    } catch (RefusedRequest refused) {
      exchange.failIfOpen(refused.errno());
    } catch (Throwable failed) {
      log.say(exchange.opcode(), "the file system has failed at " + Protocol.name(exchange.opcode()), failed);
      exchange.failIfOpen(EIO);
    }
  }

  /** As {@link FuseReply#runLater}. */
  boolean runLater(Exchange exchange, Runnable task) {
    return longWaits.begin(() -> run(exchange, task));
  }

  /** Waits so long for tasks of {@link #runLater} that are running. */
  void endLongWaits(long ms) throws InterruptedException {
    longWaits.end(ms);
  }

  /** Handles requests without an answer, or with an answer of the engine. */
  private void control(ReplyPort port, FuseRequest in) {
    try {
      switch (in.opcode()) {
        case Protocol.FORGET -> files.forget(in.node(), in.int64());
        case Protocol.BATCH_FORGET -> forgetMany(in);
        case Protocol.INTERRUPT -> outstanding.interrupt(in.int64()); // struct fuse_interrupt_in
        case Protocol.INIT -> negotiate(port, in);
        default -> { } // NOTIFY_REPLY: nothing is retrieved.
      }
    } catch (Throwable failed) {
      log.say(in.opcode(), "operation " + in.opcode() + " has failed", failed);
      if (in.opcode() == Protocol.INIT) {
        int errno = failed instanceof RefusedRequest refused ? refused.errno() : EIO;
        ReplyMemory.mine().send(port, in.unique(), -errno, 0);
        negotiated.completeExceptionally(failed);
      }
    }
  }

  /** {@code struct fuse_batch_forget_in} and {@code fuse_forget_one}s. */
  private void forgetMany(FuseRequest in) {
    int count = Math.clamp(Integer.toUnsignedLong(in.int32()), 0, in.skip(Integer.BYTES).remaining() / FORGET_ONE_BYTES);
    for (int i = 0; i < count; i++) {
      long inode = in.int64();
      files.forget(inode, in.int64());
    }
  }

  private void negotiate(ReplyPort port, FuseRequest in) {
    int major = in.int32();
    ReplyMemory memory = ReplyMemory.mine();
    if (major > Protocol.MAJOR) {
      memory.body().asSlice(0, Protocol.INIT_OUT_BYTES).fill((byte) 0);
      memory.body().set(ValueLayout.JAVA_INT, 0, Protocol.MAJOR);
      memory.send(port, in.unique(), 0, Protocol.INIT_OUT_BYTES); // The kernel asks again with this version.
    } else if (negotiated.isDone()) {
      memory.send(port, in.unique(), -EIO, 0);
    } else {
      Negotiation negotiation = Negotiation.of(major, in, options, files);
      negotiation.encode(memory.body());
      int result = memory.send(port, in.unique(), 0, Protocol.INIT_OUT_BYTES);
      if (result < 0) {
        throw new IllegalStateException("the kernel refuses the negotiation: " + LinuxCalls.errorName(result));
      }
      negotiated.complete(negotiation);
    }
  }
}
