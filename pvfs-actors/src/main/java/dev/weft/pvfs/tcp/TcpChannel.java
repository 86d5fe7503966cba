package dev.weft.pvfs.tcp;

import dev.weft.hca.messaging.MessageChannel;
import dev.weft.hca.verbs.WcStatus;
import dev.weft.hca.verbs.WorkRequest;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.agrona.collections.LongArrayQueue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Messages over a non-blocking socket, each behind its length. Used on the thread of its actor, except {@link #bind}, {@link #onReady} and
 * {@link #isStalled}. A message counts as sent when the kernel has it.
 */
final class TcpChannel implements MessageChannel {
  private static final Logger LOG = LoggerFactory.getLogger(TcpChannel.class);
  /** Messages that may be reserved or wait for the kernel. */
  private static final int BUFFERS = 16;
  private static final int ALIGNMENT_BYTES = 64;
  /** Space for the length before each message, which then begins at a multiple of 8. */
  private static final int HEAD_BYTES = 8;
  /** Messages that fit into the receive buffer. */
  private static final int RECEIVED_MAX = 4;
  private static final int WRITES_MAX = 8;
  /** Besides the operations of a {@link SelectionKey}: the other side seems to accept nothing. */
  static final int STALLED = 1 << 16;

  private final TcpEndpoint endpoint;
  private final int messageBytes;
  private final int strideBytes;
  private final ByteBuffer[] views = new ByteBuffer[BUFFERS];
  private final boolean[] isReserved = new boolean[BUFFERS];
  private final boolean[] isNotified = new boolean[BUFFERS];
  private final long[] tokens = new long[BUFFERS];
  private final ArrayDeque<Integer> free = new ArrayDeque<>();
  /** Messages for the kernel, in order. */
  private final ArrayDeque<Integer> out = new ArrayDeque<>();
  /** Tokens of messages that the kernel has. */
  private final LongArrayQueue done = new LongArrayQueue(Long.MIN_VALUE);
  private final ByteBuffer[] writing = new ByteBuffer[WRITES_MAX];
  private final AtomicInteger ready = new AtomicInteger();
  /** This and the next two exist once there is a connection. */
  private MemorySegment memory;
  private MemorySegment inMemory;
  private ByteBuffer in;
  private int head;
  private int tail;
  private long taken;
  /** The last read has emptied the socket. */
  private boolean isDrained;
  private boolean hasMore;
  private boolean isWriteBlocked;
  private boolean wantsRoom;
  private boolean isTelling;
  private WcStatus failure;
  private boolean isFailureTold;
  private Object attachment;
  private SocketChannel socket;
  private SelectionKey key;
  /** When the kernel last accepted data while more waited ({@link System#nanoTime}, made odd); 0 while nothing waits. */
  private volatile long blockedSinceNs;
  private volatile boolean isClosed;

  TcpChannel(TcpEndpoint endpoint, int messageBytes) {
    this.endpoint = endpoint;
    this.messageBytes = messageBytes;
    strideBytes = HEAD_BYTES + messageBytes + ALIGNMENT_BYTES - 1 & -ALIGNMENT_BYTES;
    for (int i = 0; i < BUFFERS; i++) {
      free.add(i);
    }
  }

  /**
   * Sets the socket, which is connected and accepted. Any thread, once; if the channel was closed meanwhile, closes the socket.
   *
   * @throws OutOfMemoryError if there is no room for its buffers; the socket is unchanged
   */
  synchronized void bind(SocketChannel connected) throws IOException {
    if (isClosed) {
      connected.close();
      return;
    }
    allocate();
    connected.configureBlocking(false);
    socket = connected;
    try {
      key = endpoint.selector.register(connected, this);
      endpoint.selector.want(key, SelectionKey.OP_READ);
    } catch (CancelledKeyException ended) {
      throw new IOException("connections are not wanted any more", ended);
    }
  }

  private void allocate() {
    memory = Arena.ofAuto().allocate((long) strideBytes * BUFFERS, ALIGNMENT_BYTES);
    inMemory = Arena.ofAuto().allocate((long) RECEIVED_MAX * (TcpFrames.LENGTH_BYTES + messageBytes), ALIGNMENT_BYTES);
    in = inMemory.asByteBuffer();
    for (int i = 0; i < BUFFERS; i++) {
      views[i] = memory.asSlice((long) strideBytes * i, strideBytes).asByteBuffer();
    }
  }

  /** Any thread. */
  void onReady(int operations) {
    if (ready.getAndAccumulate(operations, (one, other) -> one | other) == 0) {
      endpoint.onReady(this);
    }
  }

  int takeReady() {
    return ready.getAndSet(0);
  }

  @Override
  public Object attachment() {
    return attachment;
  }

  @Override
  public void attach(Object value) {
    attachment = value;
  }

  @Override
  public int messageBytes() {
    return messageBytes;
  }

  @Override
  public boolean hasRdma() {
    return false;
  }

  // Sending.

  @Override
  public int reserve() {
    Integer slot = free.poll();
    if (slot == null) {
      wantsRoom = true;
      return NO_BUFFER;
    }
    isReserved[slot] = true;
    return slot;
  }

  @Override
  public MemorySegment buffers() {
    return memory;
  }

  @Override
  public long offset(int slot) {
    return (long) strideBytes * slot + HEAD_BYTES;
  }

  @Override
  public void cancel(int slot) {
    if (!isReserved[slot]) {
      throw new IllegalStateException("buffer " + slot + " of " + BUFFERS + " is not reserved");
    }
    isReserved[slot] = false;
    free.add(slot);
  }

  @Override
  public boolean send(int slot, int length, boolean solicited) {
    return send(slot, length, false, 0);
  }

  @Override
  public boolean sendNotified(int slot, int length, boolean solicited, long token) {
    return send(slot, length, true, token);
  }

  private boolean send(int slot, int length, boolean wantsNotice, long token) {
    if (length < 1 || length > messageBytes) {
      throw new IllegalArgumentException("message of " + length + " bytes, buffers hold 1 to " + messageBytes);
    }
    if (!isOpen()) {
      cancel(slot);
      return false;
    }
    if (!isReserved[slot]) {
      throw new IllegalStateException("buffer " + slot + " of " + BUFFERS + " is not reserved");
    }
    isReserved[slot] = false;
    isNotified[slot] = wantsNotice;
    tokens[slot] = token;
    memory.set(TcpFrames.INT, offset(slot) - TcpFrames.LENGTH_BYTES, length);
    views[slot].limit(HEAD_BYTES + length).position(HEAD_BYTES - TcpFrames.LENGTH_BYTES);
    out.add(slot);
    if (!isWriteBlocked) {
      write();
    }
    return true;
  }

  /** The socket accepts more. */
  void writeOn() {
    isWriteBlocked = false;
    if (isOpen()) {
      write();
    }
  }

  /** Whether the other side has accepted nothing for too long. Any thread. */
  boolean isStalled() {
    long sinceNs = blockedSinceNs;
    return sinceNs != 0 && System.nanoTime() - sinceNs >= endpoint.selector.stalledNs;
  }

  /** Tries once more, then fails the channel. Otherwise messages for a stuck side would be kept for ever, and with them resources that others need. */
  void stall() {
    writeOn();
    if (isOpen() && isStalled()) {
      LOG.info("{} has taken nothing over TCP for {} s: its connection is closed (weft.pvfs.tcp.stalled)", socket.socket().getRemoteSocketAddress(),
          endpoint.selector.stalledNs / 1_000_000_000);
      fail(WcStatus.RETRY_EXC_ERR);
    }
  }

  private void write() {
    long written = 0;
    try {
      while (!out.isEmpty()) {
        ByteBuffer last = out.size() == 1 ? views[out.peek()] : gather();
        written += out.size() == 1 ? socket.write(last) : socket.write(writing, 0, Math.min(out.size(), WRITES_MAX));
        takeWritten();
        if (last.hasRemaining()) {
          block(written > 0);
          return;
        }
      }
      if (blockedSinceNs != 0) {
        blockedSinceNs = 0;
      }
    } catch (IOException | CancelledKeyException lost) {
      fail(WcStatus.RETRY_EXC_ERR);
    }
  }

  private void block(boolean hasWritten) {
    isWriteBlocked = true;
    if (hasWritten || blockedSinceNs == 0) {
      blockedSinceNs = System.nanoTime() | 1;
    }
    endpoint.selector.want(key, SelectionKey.OP_WRITE);
  }

  /** Collects the first waiting messages; returns the last of these. */
  private ByteBuffer gather() {
    int count = 0;
    for (int slot : out) {
      writing[count++] = views[slot];
      if (count == WRITES_MAX) {
        break;
      }
    }
    return writing[count - 1];
  }

  private void takeWritten() {
    while (!out.isEmpty() && !views[out.peek()].hasRemaining()) {
      int slot = out.poll();
      taken++;
      free.add(slot);
      if (isNotified[slot]) {
        done.addLong(tokens[slot]);
      }
    }
    if (!done.isEmpty() || wantsRoom && !free.isEmpty()) {
      tellLater();
    }
  }

  // Receiving.

  /** Reads and hands over at most {@code budget} messages; returns how many. */
  int read(int budget) {
    int handled = 0;
    hasMore = true;
    try {
      while (handled < budget && isOpen()) {
        if (handOver()) {
          handled++;
        } else if (isOpen() && !readOnce()) {
          hasMore = false;
          endpoint.selector.want(key, SelectionKey.OP_READ);
          return handled;
        }
      }
    } catch (IOException | CancelledKeyException lost) {
      fail(WcStatus.RETRY_EXC_ERR);
    }
    hasMore &= isOpen();
    return handled;
  }

  boolean hasMore() {
    return hasMore;
  }

  /** Returns false if there is no whole message. */
  private boolean handOver() {
    if (tail - head < TcpFrames.LENGTH_BYTES) {
      return false;
    }
    int length = inMemory.get(TcpFrames.INT, head);
    if (length < 1 || length > messageBytes) {
      fail(WcStatus.LOC_LEN_ERR);
      return false;
    }
    int at = head + TcpFrames.LENGTH_BYTES;
    if (tail - at < length) {
      return false;
    }
    head = at + length;
    endpoint.handler.onMessage(this, inMemory, at, length);
    return true;
  }

  /** Returns false if the socket has nothing more now. */
  private boolean readOnce() throws IOException {
    if (isDrained) {
      isDrained = false;
      return false;
    }
    makeRoom();
    in.limit(in.capacity()).position(tail);
    int read = socket.read(in);
    if (read < 0) {
      fail(WcStatus.REM_ABORT_ERR);
      return true;
    }
    tail += read;
    isDrained = read > 0 && in.hasRemaining();
    return read > 0;
  }

  /** Moves a partial message to the start of the buffer if it would not fit otherwise. */
  private void makeRoom() {
    if (head == tail) {
      head = 0;
      tail = 0;
    } else if (in.capacity() - head < TcpFrames.LENGTH_BYTES + messageBytes) {
      MemorySegment.copy(inMemory, head, inMemory, 0, tail - head);
      tail -= head;
      head = 0;
    }
  }

  // Calls of the handler.

  private void tellLater() {
    if (!isTelling && !isClosed) {
      isTelling = true;
      endpoint.tellLater(this);
    }
  }

  void tell() {
    isTelling = false;
    while (!done.isEmpty() && !isClosed) {
      endpoint.handler.onCompleted(this, done.pollLong(), WcStatus.SUCCESS);
    }
    if (failure != null && !isFailureTold && !isClosed) {
      isFailureTold = true;
      endpoint.handler.onFailed(this, failure, 0);
    } else if (wantsRoom && !free.isEmpty() && isOpen()) {
      wantsRoom = false;
      endpoint.handler.onSendRoom(this);
    }
  }

  /** The channel could not be bound. */
  void lose() {
    fail(WcStatus.RETRY_EXC_ERR);
  }

  private void fail(WcStatus status) {
    if (failure == null && !isClosed) {
      failure = status;
      tellLater();
    }
  }

  // RDMA, which TCP does not have.

  @Override
  public boolean writeWith(int slot, int length, Consumer<WorkRequest> data, long remoteAddress, int remoteKey, int immediate, boolean wantsNotice,
      long token) {
    throw new UnsupportedOperationException("TCP has no RDMA");
  }

  @Override
  public boolean transfer(WorkRequest request, boolean wantsNotice, long token) {
    throw new UnsupportedOperationException("TCP has no RDMA");
  }

  @Override
  public int transferRoom() {
    return 0;
  }

  @Override
  public long completed() {
    return taken;
  }

  @Override
  public boolean isOpen() {
    return failure == null && !isClosed;
  }

  /** Closes the socket; the other side notices. Any thread. */
  synchronized void disconnect() {
    if (socket != null) {
      try {
        socket.close();
      } catch (IOException gone) {
        // It is closed.
      }
      endpoint.selector.look();
    }
  }

  @Override
  public void close() {
    if (!isClosed) {
      isClosed = true;
      endpoint.forget(this);
      disconnect();
    }
  }
}
