package dev.weft.pager.nbd;

import dev.weft.fabric.time.Clock;
import dev.weft.pager.BlockDevice;
import dev.weft.pager.Errno;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.util.ArrayDeque;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

/**
 * The transmission phase of one connection, on the connection's thread.
 *
 * <p>The loop submits all requests of one read, lets the device run its hardware actors on this thread
 * ({@code help}), and writes all ready replies in one gathering write. Only then does it read the socket
 * again. It first polls for a short time, so that a client with one request at a time need not wait for
 * this thread to wake up; then it sleeps. After polling has found nothing {@value #MISSES_MAX} times in a row, it is skipped the next
 * {@value #SKIPPED_SPINS} times.
 *
 * <p>The payload of a long write goes directly from the socket into the registered buffer, in one scattering read with the next
 * header. After such a write only that header is read ahead, so payload does not pass through the read-ahead buffer.
 * Short writes are read ahead, many at a time, and copied.
 *
 * <p><b>No deadlock over buffers.</b> A connection acquires buffers in the order of its requests, one at a time. While it
 * waits, its finished replies are still written, which frees their buffers. The exception is a reply that must not be split, because
 * other replies that hold buffers could not overtake it. So it starts only when no other reply is in flight, and
 * it is sent in windows of as many buffers as are available, at least one.
 */
final class Transmission {
  private static final int MISSES_MAX = 4;
  private static final int SKIPPED_SPINS = 64;
  private static final int STREAM_WINDOW = 8;
  private static final int READ_AHEAD_BYTES = ClientSocket.READ_AHEAD_BYTES;
  /** Copying a payload up to this length costs less than a separate system call to read it. */
  private static final int SMALL_WRITE_BYTES = 8 << 10;
  private static final int POLLS_BETWEEN_CLOCKS = 4;
  /** After this number of bytes in one batch of reads, writing the ready replies early helps the client more than fewer writes. */
  private static final int EARLY_WRITE_BYTES = 128 << 10;

  private final ClientSocket socket;
  private final ReplyWriter writer;
  private final NbdSettings settings;
  private final Clock clock;
  private final RequestCheck check;
  private final BlockDevice device;
  private final BlockDevice.Flusher flusher;
  private final BlockDevice.Share share;
  private final boolean structured;
  private final BooleanSupplier stopping;
  private final BooleanSupplier allReady;
  /** Like {@code allReady}, while the last part in flight has not been submitted yet. */
  private final BooleanSupplier allReadyButLast;
  private final BooleanSupplier roomInFlight;
  private final BooleanSupplier roomForData;
  /** The limit that {@link #roomForData} checks. */
  private int dataInFlightMax;
  private volatile boolean bufferAvailable = true;
  private int lengthWaitedFor;
  private int readAheadBytes = READ_AHEAD_BYTES;
  private long bytesUnwritten;
  private int misses;
  private int skips;
  private final StallWatch stall;
  private final HeldResources held;
  /** Pieces of a reply that must not be split; they are at the device or done, but not yet passed to the writer. */
  private final ArrayDeque<Part> window = new ArrayDeque<>();
  private final AtomicInteger windowOutstanding = new AtomicInteger();
  private final DeviceHelp deviceHelp;

  Transmission(ClientSocket socket, ReplyWriter writer, NbdSettings settings, Clock clock, NbdHandshake.Choice choice,
      BlockDevice.Share share, BooleanSupplier stopping) {
    this.socket = socket;
    this.writer = writer;
    this.held = new HeldResources(writer);
    this.settings = settings;
    this.clock = clock;
    this.stall = new StallWatch(clock, settings.stallTimeoutNs());
    this.check = new RequestCheck(settings, choice);
    this.device = choice.export().device();
    this.deviceHelp = new DeviceHelp(device, settings.helpNs());
    this.flusher = device.flusher();
    this.share = share;
    this.structured = choice.structured();
    this.stopping = stopping;
    this.allReady = () -> writer.isReadyBut(0);
    this.allReadyButLast = () -> writer.isReadyBut(1);
    this.roomInFlight = () -> writer.inFlight() < settings.inFlightMax();
    this.roomForData = () -> writer.inFlight() < dataInFlightMax;
    if (structured) {
      writer.useStructuredReplies();
    }
  }

  /** Serves until the client leaves or violates the protocol, or the server stops. When this returns, all buffers are released. */
  void run() throws IOException {
    try {
      boolean more = true;
      while (more && !writer.isBroken()) {
        while (more && socket.ahead.remaining() >= Nbd.REQUEST_BYTES) {
          deviceHelp.promise();
          more = request();
          if (bytesUnwritten >= EARLY_WRITE_BYTES) {
            bytesUnwritten = 0;
            writer.flush();
          }
        }
        if (more) {
          bytesUnwritten = 0;
          writeReplies();
          int count = socket.fill(readAheadBytes);
          more = count >= 0 && (count > 0 || idle());
        }
      }
    } catch (IOException e) {
      writer.breakOff();
      throw e;
    } catch (RuntimeException | Error e) {
      writer.breakOff();
      deviceHelp.leaveToItsOwnThread();
      throw e;
    } finally {
      held.release();
      try {
        deviceHelp.keepPromise();
      } finally {
        finish();
      }
    }
  }

  private void writeReplies() {
    if (writer.inFlight() > 0) {
      if (!allReady.getAsBoolean()) {
        deviceHelp.help(allReady);
      }
      deviceHelp.keepPromise();
      writer.flush();
    } else {
      deviceHelp.keepPromise();
    }
  }

  /** Waits for the client; returns false if the server stops. */
  private boolean idle() throws IOException {
    if (stopping.getAsBoolean()) {
      return false;
    }
    if (skips > 0) {
      skips--;
    } else if (settings.spinNs() > 0 && spin()) {
      return true;
    }
    sleep(true, false);
    return true;
  }

  private boolean spin() throws IOException {
    long deadlineNs = clock.nowNs() + settings.spinNs();
    do {
      for (int i = 0; i < POLLS_BETWEEN_CLOCKS; i++) {
        if (socket.fill(readAheadBytes) != 0) {
          misses = 0;
          return true;
        }
        if (writer.inFlight() > 0) {
          writeReplies();
        }
        Thread.yield();
      }
    } while (clock.nowNs() - deadlineNs < 0);
    if (++misses >= MISSES_MAX) {
      misses = 0;
      skips = SKIPPED_SPINS;
    }
    return false;
  }

  /** Sleeps until the socket is readable (if {@code forInput}), accepts more of blocked replies, or another thread wakes this one. */
  private void sleep(boolean forInput, boolean stallCounts) throws IOException {
    deviceHelp.keepPromise();
    writer.ownerSleeps(!forInput);
    try {
      boolean blocked = writer.isBlocked();
      boolean bounded = (blocked || stallCounts) && !writer.isBroken();
      stall.check(bounded, writer.bytesWritten());
      boolean ready = !forInput && (canWrite() || bufferAvailable && lengthWaitedFor > 0);
      if (!ready) {
        socket.sleep((forInput ? SelectionKey.OP_READ : 0) | (blocked && !writer.isBroken() ? SelectionKey.OP_WRITE : 0),
            bounded ? stall.nextLookNs() : 0);
      }
    } finally {
      writer.ownerWakes();
    }
    writer.flush();
  }

  /** Whether a reply waits and the socket may accept it. With a blocked socket the thread must sleep, because only the sleep detects a stall. */
  private boolean canWrite() {
    return writer.hasReady() && !writer.isBlocked();
  }

  private void await(BooleanSupplier condition) throws IOException {
    while (!condition.getAsBoolean()) {
      writer.flush();
      if (condition.getAsBoolean() || deviceHelp.help(() -> canWrite() || condition.getAsBoolean())) {
        continue;
      }
      writer.ownerSleeps(true);
      if (condition.getAsBoolean()) {
        writer.ownerWakes();
        return;
      }
      sleep(false, false);
    }
  }

  /** Handles one request; returns false to end the session. */
  private boolean request() throws IOException {
    ByteBuffer in = socket.ahead;
    int magic = in.getInt();
    int flags = Short.toUnsignedInt(in.getShort());
    int type = Short.toUnsignedInt(in.getShort());
    Request request = new Request(type, flags, in.getLong(), in.getLong(), Integer.toUnsignedLong(in.getInt()));
    if (magic != Nbd.REQUEST_MAGIC) {
      throw new IOException("the client sent request magic 0x" + Integer.toHexString(magic) + " instead of 0x25609513");
    }
    if (type == Nbd.CMD_DISC) {
      return false;
    }
    readAheadBytes = type == Nbd.CMD_WRITE && request.length > SMALL_WRITE_BYTES ? Nbd.REQUEST_BYTES : READ_AHEAD_BYTES;
    int errno = stopping.getAsBoolean() ? Errno.ESHUTDOWN : check.check(request);
    if (type == Nbd.CMD_WRITE && (errno != Errno.OK || request.length == 0)) {
      discard(request.length);
    }
    if (errno != Errno.OK || request.length == 0 && type != Nbd.CMD_FLUSH) {
      status(request, errno);
    } else {
      submit(request);
      held.submitted();
    }
    return true;
  }

  private void submit(Request request) throws IOException {
    switch (request.type) {
      case Nbd.CMD_READ -> read(request);
      case Nbd.CMD_WRITE -> write(request);
      case Nbd.CMD_FLUSH -> flusher.flush(single(request));
      case Nbd.CMD_TRIM -> device.trim(request.offset, request.length, single(request));
      case Nbd.CMD_CACHE -> device.cache(request.offset, request.length, single(request));
      case Nbd.CMD_WRITE_ZEROES -> writeZeroes(request);
      case Nbd.CMD_BLOCK_STATUS -> {
        await(roomInFlight);
        held.begin();
        request.partCount = 1;
        ExtentsPart part = held.take(new ExtentsPart(writer, request, settings.extentsMax()));
        device.blockStatus(request.offset, request.length, part, part);
      }
      default -> throw new IllegalStateException("command " + request.type + " passed the check");
    }
  }

  private void discard(long length) throws IOException {
    if (length > Math.max(settings.payloadBytesMax(), Nbd.PORTABLE_PAYLOAD_BYTES)) {
      throw new IOException("the client announced a payload of " + length + " bytes; at most " + settings.payloadBytesMax());
    }
    long remaining = length;
    while (true) {
      int taken = (int) Math.min(remaining, socket.ahead.remaining());
      socket.ahead.position(socket.ahead.position() + taken);
      remaining -= taken;
      if (remaining == 0) {
        return;
      }
      int count = socket.fill((int) Math.min(remaining, Integer.MAX_VALUE));
      if (count < 0) {
        throw new IOException("the client left in the middle of a payload");
      }
      if (count == 0) {
        sleep(true, true);
      } else {
        stall.moved();
      }
    }
  }

  private Part single(Request request) throws IOException {
    await(roomInFlight);
    held.begin();
    request.partCount = 1;
    Part part = held.take(new Part(writer, request, Part.Kind.STATUS, request.offset, request.length, null));
    if (request.has(Nbd.CMD_FLAG_FUA) && (request.type == Nbd.CMD_TRIM || request.type == Nbd.CMD_WRITE_ZEROES)) {
      part.flushAfterwards(device);
    }
    return part;
  }

  private void status(Request request, int errno) throws IOException {
    await(roomInFlight);
    held.begin();
    request.partCount = 1;
    held.take(new Part(writer, request, Part.Kind.STATUS, request.offset, request.length, null)).done(errno);
    held.submitted();
  }

  private void writeZeroes(Request request) throws IOException {
    boolean mayTrim = !request.has(Nbd.CMD_FLAG_NO_HOLE);
    if (request.has(Nbd.CMD_FLAG_FAST_ZERO) && !device.zeroesFast(request.offset, request.length, mayTrim)) {
      status(request, Errno.ENOTSUP);
    } else {
      device.writeZeroes(request.offset, request.length, mayTrim, single(request));
    }
  }

  private void write(Request request) throws IOException {
    long at = request.offset;
    long end = at + request.length;
    int parts = 0;
    while (at < end) {
      int length = partLength(at, end - at);
      BlockDevice.Buffer buffer = beginWithBuffer(length);
      receive(buffer.segment().asByteBuffer());
      parts++;
      if (at + length == end) {
        request.partCount = parts;
      }
      Part part = held.take(new Part(writer, request, Part.Kind.STATUS, at, length, buffer));
      device.write(at, buffer, request.has(Nbd.CMD_FLAG_FUA), part);
      held.submitted();
      at += length;
    }
  }

  private void receive(ByteBuffer into) throws IOException {
    int before = -1;
    while (!socket.readInto(into, readAheadBytes)) {
      if (into.remaining() != before) {
        before = into.remaining();
        stall.moved();
        workMeanwhile();
      } else if (settings.spinNs() > 0 && stall.stalledNs() < settings.spinNs()) {
        Thread.yield();
      } else {
        sleep(true, true);
      }
    }
  }

  /** Works on earlier requests while the rest of a payload, some microseconds away, arrives. */
  private void workMeanwhile() {
    if (writer.inFlight() > 1) {
      if (!allReadyButLast.getAsBoolean()) {
        deviceHelp.help(allReadyButLast);
      }
      writer.flush();
    }
  }

  private void read(Request request) throws IOException {
    bytesUnwritten += request.length;
    boolean whole = !structured || request.has(Nbd.CMD_FLAG_DF);
    if (whole && request.length > device.maxRequestBytes()) {
      stream(request);
      return;
    }
    long at = request.offset;
    long end = at + request.length;
    int parts = 0;
    while (at < end) {
      long run = whole ? end - at : device.runAt(at, end - at);
      long length = run < 0 ? Math.min(-run, end - at) : partLength(at, Math.min(run, end - at));
      BlockDevice.Buffer buffer = null;
      if (run < 0) {
        await(roomInFlight);
        held.begin();
      } else {
        buffer = beginWithBuffer((int) length);
      }
      parts++;
      if (at + length == end) {
        request.partCount = parts;
      }
      if (buffer == null) {
        held.take(new Part(writer, request, Part.Kind.HOLE, at, length, null)).done(Errno.OK);
      } else {
        device.read(at, buffer, held.take(new Part(writer, request, Part.Kind.DATA, at, length, buffer)));
      }
      held.submitted();
      at += length;
    }
  }

  private void stream(Request request) throws IOException {
    await(() -> writer.inFlight() == 0);
    long at = request.offset;
    long end = at + request.length;
    int parts = 0;
    boolean failed = false;
    while (at < end && !failed && !writer.isBroken()) {
      int windowMax = Math.min(STREAM_WINDOW, settings.inFlightMax());
      while (at < end && window.size() < windowMax) {
        int length = partLength(at, end - at);
        BlockDevice.Buffer buffer = window.isEmpty() ? beginWithBuffer(length) : share.tryAcquire(length, null);
        if (buffer == null) {
          break;
        }
        held.hold(buffer);
        if (!window.isEmpty()) {
          held.begin();
        }
        StreamPart part = held.take(new StreamPart(writer, request, at, buffer, windowOutstanding));
        windowOutstanding.getAndIncrement();
        device.read(at, buffer, part);
        held.submitted();
        window.add(part);
        at += length;
        parts++;
      }
      await(() -> windowOutstanding.get() == 0);
      if (at == end) {
        request.partCount = parts;
      }
      while (!window.isEmpty()) {
        failed |= !structured && window.peek().errno != Errno.OK;
        writer.completed(window.poll());
      }
      await(() -> writer.inFlight() == 0);
    }
  }

  /** Returns the length of the next part. Splits at multiples of the preferred block, so that only the ends of a request are unaligned. */
  private int partLength(long at, long remaining) {
    int max = device.maxRequestBytes();
    if (remaining <= max) {
      return (int) remaining;
    }
    long end = (at + max) & -(long) device.preferredBlockBytes();
    return end > at ? (int) (end - at) : max;
  }

  private BlockDevice.Buffer beginWithBuffer(int length) throws IOException {
    dataInFlightMax = settings.inFlightMax(length);
    await(roomForData);
    BlockDevice.Buffer buffer = tryAcquire(length);
    while (buffer == null) {
      lengthWaitedFor = length;
      await(() -> bufferAvailable);
      lengthWaitedFor = 0;
      buffer = tryAcquire(length);
    }
    held.hold(buffer);
    held.begin();
    return buffer;
  }

  private BlockDevice.Buffer tryAcquire(int length) {
    bufferAvailable = false;
    BlockDevice.Buffer buffer = share.tryAcquire(length, this::onBufferAvailable);
    if (buffer != null) {
      bufferAvailable = true;
    }
    return buffer;
  }

  private void onBufferAvailable() {
    bufferAvailable = true;
    writer.wakeOwner();
  }

  /** Waits for all replies. Then passes on this connection's turn in the queue for buffers, if it has one. */
  private void finish() throws IOException {
    try {
      awaitParts();
    } catch (IOException | RuntimeException | Error e) {
      writer.breakOff();
      deviceHelp.leaveToItsOwnThread();
      awaitParts();
      throw e;
    } finally {
      while (lengthWaitedFor > 0) {
        await(() -> bufferAvailable);
        BlockDevice.Buffer buffer = tryAcquire(lengthWaitedFor);
        if (buffer != null) {
          lengthWaitedFor = 0;
          buffer.release();
        }
      }
    }
  }

  private void awaitParts() throws IOException {
    await(() -> windowOutstanding.get() == 0);
    while (!window.isEmpty()) {
      writer.completed(window.poll());
    }
    await(() -> writer.inFlight() == 0);
  }
}
