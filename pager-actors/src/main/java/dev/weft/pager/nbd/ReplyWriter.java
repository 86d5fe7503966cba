package dev.weft.pager.nbd;

import dev.weft.pager.Errno;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.agrona.concurrent.ManyToOneConcurrentArrayQueue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Turns completed parts into replies and writes them without waiting. The owner is the connection's thread.
 *
 * <p><b>The writing thread.</b> A completion runs on the owner (inside a submit or inside {@code help}) or on
 * the device's thread. It puts its part into a queue with a slot for each part in flight, so the queue always has
 * room. While the owner is awake, the completion does no more, because the owner is about to write all ready parts in one gathering write.
 * While the owner sleeps, the completing thread writes the replies itself, which avoids waking the
 * owner. The thread that holds {@code writing} writes; no thread waits for it.
 *
 * <p><b>No reply is lost</b> in these cases:
 *
 * <ol>
 *   <li>Two threads compete. A thread that fails to take {@code writing} has queued its part before it tried, and the holder checks the queue again
 *       after it has released {@code writing}.
 *   <li>The owner falls asleep. It first clears {@code ownerAwake}, then flushes; a completion first queues its part, then reads {@code ownerAwake}.
 *       All four accesses are sequentially consistent. So either the owner sees the part, or the completion sees that the owner sleeps.
 *   <li>The socket is full. The writing thread sets {@code blocked} and wakes the owner, which then waits until the socket accepts more bytes.
 *       Completions leave their parts in the queue. The thread that has written everything clears {@code blocked}, and it also checks the queue again
 *       after it has released {@code writing}.
 * </ol>
 *
 * <p><b>A slow client</b> therefore costs the completing thread at most one write that fills the socket. It holds at most
 * its limit of in-flight buffers, until the owner's stall timeout ends the connection.
 *
 * <p><b>Last chunk.</b> Chunks of one request are written in the order of their completion. Only the writing thread counts them, so
 * the chunk that it marks as last is the last one on the wire.
 */
final class ReplyWriter {
  private static final Logger LOG = LoggerFactory.getLogger(ReplyWriter.class);
  private static final int HEADERS_BYTES = 16384;
  /** Room for a chunk header with offset and size, and an error chunk after it. */
  private static final int HEADER_BYTES_MAX = 64;
  private static final int BUFFERS_MAX = 512;

  private final ClientSocket socket;
  private final ManyToOneConcurrentArrayQueue<Part> queue;
  private final AtomicInteger inFlight = new AtomicInteger();
  private final AtomicBoolean writing = new AtomicBoolean();
  private volatile boolean ownerAwake = true;
  private volatile boolean ownerWaits;
  private volatile boolean blocked;
  private volatile boolean broken;
  private volatile long bytesWritten;
  private boolean structured;

  // The fields below belong to the thread that holds `writing`.
  private final ByteBuffer headers = ByteBuffer.allocateDirect(HEADERS_BYTES);
  private final ByteBuffer[] pending = new ByteBuffer[BUFFERS_MAX];
  private final List<Part> batch = new ArrayList<>();
  private int headersFrom;
  private int pendingFirst;
  private int pendingCount;

  ReplyWriter(ClientSocket socket, int inFlightMax) {
    this.socket = socket;
    this.queue = new ManyToOneConcurrentArrayQueue<>(Math.max(2, inFlightMax));
  }

  void useStructuredReplies() {
    structured = true;
  }

  /** Takes an in-flight place. Only the owner calls it, after it has checked the limit. */
  void begin() {
    inFlight.getAndIncrement();
  }

  /** Releases an in-flight place that no completion will release. */
  void cancel() {
    inFlight.getAndDecrement();
  }

  int inFlight() {
    return inFlight.get();
  }

  /** Whether all parts in flight, except {@code open} parts, have completed and wait to be written. */
  boolean isReadyBut(int open) {
    return queue.size() >= inFlight.get() - open;
  }

  boolean hasReady() {
    return !queue.isEmpty();
  }

  boolean isBlocked() {
    return blocked;
  }

  boolean isBroken() {
    return broken;
  }

  /** The number of bytes written, which grows while the client receives replies. */
  long bytesWritten() {
    return bytesWritten;
  }

  /** Queues a completed part. Any thread. */
  void completed(Part part) {
    if (!queue.offer(part)) {
      throw new IllegalStateException("reply queue of " + queue.capacity() + " is full with " + inFlight.get() + " in flight");
    }
    if (!ownerAwake && !blocked) {
      flush();
    }
  }

  /** Stops writing: parts that complete from now on are released without a reply. Any thread. */
  void breakOff() {
    broken = true;
  }

  /** Reports that the owner is about to sleep. {@code waitsForParts} says whether it waits for parts to finish, not for its socket. */
  void ownerSleeps(boolean waitsForParts) {
    ownerWaits = waitsForParts;
    ownerAwake = false;
    flush();
  }

  void ownerWakes() {
    ownerAwake = true;
    ownerWaits = false;
  }

  /** Writes ready replies as far as the socket accepts them, unless another thread is writing. Any thread. */
  void flush() {
    boolean again = true;
    while (again && writing.compareAndSet(false, true)) {
      int finished;
      try {
        finished = writeReady();
      } finally {
        writing.set(false);
      }
      if (ownerWaits && finished > 0) {
        socket.wakeup();
      }
      again = !blocked && !queue.isEmpty();
    }
  }

  private int writeReady() {
    int finished = 0;
    try {
      while (true) {
        if (pendingCount == 0 && !gather()) {
          return finished;
        }
        if (!broken && !writePending()) {
          return finished;
        }
        finished += finishBatch();
      }
    } catch (IOException | RuntimeException | Error e) {
      if (!(e instanceof IOException)) {
        LOG.error("writing NBD replies failed; the connection ends", e);
      }
      // The client can no longer receive replies. The owner must learn of that, and all buffers must be released.
      broken = true;
      finished += finishBatch();
      socket.wakeup();
      return finished;
    }
  }

  private boolean writePending() throws IOException {
    while (pendingFirst < pendingCount || socket.hasUnsent()) {
      long count = socket.write(pending, pendingFirst, pendingCount - pendingFirst);
      while (pendingFirst < pendingCount && !pending[pendingFirst].hasRemaining()) {
        pending[pendingFirst++] = null;
      }
      bytesWritten += count;
      if (count == 0) {
        if (!blocked) {
          blocked = true;
          socket.wakeup();
        }
        return false;
      }
    }
    return true;
  }

  private int finishBatch() {
    int count = batch.size();
    for (int i = 0; i < count; i++) {
      batch.get(i).release();
    }
    batch.clear();
    java.util.Arrays.fill(pending, 0, pendingCount, null);
    pendingFirst = 0;
    pendingCount = 0;
    headers.clear();
    headersFrom = 0;
    blocked = false;
    inFlight.getAndAdd(-count);
    return count;
  }

  /** Encodes ready parts; returns whether there was one. */
  private boolean gather() {
    while (headers.remaining() >= HEADER_BYTES_MAX && pendingCount <= BUFFERS_MAX - 4) {
      Part part = queue.poll();
      if (part == null) {
        break;
      }
      batch.add(part);
      encode(part);
    }
    endHeaders();
    return !batch.isEmpty();
  }

  private void encode(Part part) {
    Request request = part.request;
    boolean last = ++request.partsWritten == request.partCount;
    if (part.errno != Errno.OK && request.errno == Errno.OK) {
      request.errno = part.errno;
    }
    if (broken) {
      return;
    }
    if (part.kind == Part.Kind.STREAM) {
      encodeStream(part, request, last);
      return;
    }
    boolean chunks = structured && (request.type == Nbd.CMD_READ || request.type == Nbd.CMD_BLOCK_STATUS);
    if (!chunks) {
      encodeSimple(part, request, last);
      return;
    }
    boolean doneHere = last && request.errno == Errno.OK;
    if (part.errno == Errno.OK) {
      encodeChunk(part, request, doneHere);
    }
    if (last && !doneHere) {
      chunk(Nbd.REPLY_FLAG_DONE, Nbd.REPLY_ERROR, request, 6).putInt(request.errno).putShort((short) 0);
    }
  }

  private void encodeSimple(Part part, Request request, boolean last) {
    if (last) {
      simple(request, request.errno);
      if (part.kind == Part.Kind.DATA && request.errno == Errno.OK) {
        payload(part.buffer.segment().asByteBuffer());
      }
    }
  }

  private void encodeChunk(Part part, Request request, boolean last) {
    int flags = last ? Nbd.REPLY_FLAG_DONE : 0;
    switch (part.kind) {
      case DATA -> {
        chunk(flags, Nbd.REPLY_OFFSET_DATA, request, (int) part.length + 8).putLong(part.offset);
        payload(part.buffer.segment().asByteBuffer());
      }
      case HOLE -> chunk(flags, Nbd.REPLY_OFFSET_HOLE, request, 12).putLong(part.offset).putInt((int) part.length);
      case EXTENTS -> {
        ByteBuffer extents = ((ExtentsPart) part).encode(NbdHandshake.CONTEXT_ID);
        chunk(flags, Nbd.REPLY_BLOCK_STATUS, request, extents.remaining());
        payload(extents);
      }
      case STATUS -> chunk(flags, Nbd.REPLY_NONE, request, 0);
      case STREAM -> throw new IllegalStateException("a stream has its own form");
    }
  }

  /** Encodes a piece of an unfragmented reply. Pieces arrive in order, and no other reply is in flight. */
  private void encodeStream(Part part, Request request, boolean last) {
    boolean first = request.partsWritten == 1;
    if (!structured && request.errno != Errno.OK) {
      // Before the header, an error reply is possible. After it, the protocol only allows ending the connection.
      if (first) {
        simple(request, request.errno);
      } else {
        broken |= request.streamStarted;
      }
      return;
    }
    if (first && structured) {
      chunk(0, Nbd.REPLY_OFFSET_DATA, request, (int) request.length + 8).putLong(request.offset);
    } else if (first) {
      simple(request, Errno.OK);
      request.streamStarted = true;
    }
    if (part.errno != Errno.OK) {
      part.buffer.segment().fill((byte) 0);
    }
    payload(part.buffer.segment().asByteBuffer());
    if (last && structured) {
      if (request.errno == Errno.OK) {
        chunk(Nbd.REPLY_FLAG_DONE, Nbd.REPLY_NONE, request, 0);
      } else {
        chunk(Nbd.REPLY_FLAG_DONE, Nbd.REPLY_ERROR, request, 6).putInt(request.errno).putShort((short) 0);
      }
    }
  }

  /** Wakes the owner if it is waiting for parts. Any thread. */
  void wakeOwner() {
    if (ownerWaits) {
      socket.wakeup();
    }
  }

  private void simple(Request request, int errno) {
    headers.putInt(Nbd.SIMPLE_REPLY_MAGIC).putInt(errno).putLong(request.cookie);
  }

  private ByteBuffer chunk(int flags, int type, Request request, int length) {
    return headers.putInt(Nbd.STRUCTURED_REPLY_MAGIC).putShort((short) flags).putShort((short) type).putLong(request.cookie)
        .putInt(length);
  }

  private void payload(ByteBuffer bytes) {
    endHeaders();
    pending[pendingCount++] = bytes;
  }

  private void endHeaders() {
    int to = headers.position();
    if (to > headersFrom) {
      pending[pendingCount++] = headers.slice(headersFrom, to - headersFrom);
      headersFrom = to;
    }
  }
}
