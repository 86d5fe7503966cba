package dev.weft.pvfs.daemon;

import dev.weft.hca.messaging.MessageChannel;
import dev.weft.hca.messaging.MessageHandler;
import dev.weft.hca.verbs.WcStatus;
import dev.weft.pvfs.Errno;
import dev.weft.pvfs.wire.Band;
import dev.weft.pvfs.wire.DaemonOp;
import dev.weft.pvfs.wire.DaemonReply;
import dev.weft.pvfs.wire.DaemonRequest;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.function.BiConsumer;

/**
 * The request manager of an I/O daemon, wherever its stripes are: checks requests, does none twice and none to an object that was removed, and answers.
 * Runs on the daemon's thread.
 *
 * <p>Bounds: as many operations as clients have credits.
 */
abstract class DaemonCore implements MessageHandler {
  final ClientBook book;
  private final BiConsumer<DaemonClient, String> broken;
  private final DaemonReply reply = new DaemonReply();
  /** Requests that came again while the first was under way, which is over now. */
  private final ArrayDeque<DaemonOperation> again = new ArrayDeque<>();
  final long[] requests = new long[DaemonOp.values().length];
  final long[] bands = new long[Band.values().length];
  /** Bytes of reads and writes by band, as many as were asked for. */
  final long[] bandBytes = new long[Band.values().length];
  final BusyObjects busy = new BusyObjects();
  long bytesRead;
  long bytesWritten;
  /** Bytes that a processor copied, rather than RDMA. */
  long bytesCopied;
  long refused;
  /** Requests that had been done, and were answered once more. */
  long repeated;

  /** @param broken told of clients with which it cannot go on, and why; it ends the connection */
  DaemonCore(ClientBook book, BiConsumer<DaemonClient, String> broken) {
    this.book = book;
    this.broken = broken;
  }

  /** Begins an operation. Data behind its request is lent for this call, but in a lent buffer until the answer. */
  abstract void accept(DaemonOperation op, MemorySegment from, long dataAt);

  /** Answers one that was done before. */
  abstract void answerDone(DaemonOperation op);

  /** Posts what the connection takes. */
  abstract void pump(DaemonClient client);

  /** Sends the answer of a read that went well in the send buffer. */
  abstract void sendRead(DaemonOperation op, int slot);

  /** Operations whose data is under way. */
  abstract int moving();

  /** Operations that wait for memory. */
  abstract int starving();

  /** Does some of what can wait; whether there is more. */
  boolean clean(int steps) {
    return false;
  }

  @Override
  public void onMessage(MessageChannel channel, MemorySegment buffer, long offset, int length) {
    onRequest((DaemonClient) channel.attachment(), buffer, offset, length);
  }

  @Override
  public boolean onImmediate(MessageChannel channel, int slot, int length) {
    DaemonClient client = (DaemonClient) channel.attachment();
    if (client.fast == null || slot < 0 || (slot + 1L) * client.slotBytes > client.fast.length() || length > client.slotBytes) {
      return false;
    }
    onRequest(client, client.fast.segment(), (long) slot * client.slotBytes, length);
    return true;
  }

  private void onRequest(DaemonClient client, MemorySegment from, long at, int length) {
    DaemonOperation op = client.take();
    if (op == null) {
      broken.accept(client, "it has more requests under way than its " + client.operationsMax + " credits");
      return;
    }
    int head = op.request.decode(from, at, length);
    if (head < 0) {
      refused++;
      broken.accept(client, "it sent " + op.request.problem());
      return;
    }
    client.requests++;
    requests[op.request.op.ordinal()]++;
    note(op.request);
    op.begin();
    begin(op, from, at + head);
    repeat();
  }

  private void note(DaemonRequest request) {
    if (request.op == DaemonOp.READ || request.op == DaemonOp.WRITE) {
      bandBytes[request.band.ordinal()] += request.file.totalBytes();
      busy.count(request.object, request.file.totalBytes());
    }
  }

  private void begin(DaemonOperation op, MemorySegment from, long dataAt) {
    DaemonOp what = op.request.op;
    boolean isOnce = what == DaemonOp.WRITE || what == DaemonOp.TRUNCATE || what == DaemonOp.EXTEND || what == DaemonOp.PUNCH;
    if (isOnce) {
      switch (op.client.done.begin(op.request.id)) {
        case DONE -> {
          repeated++;
          answerDone(op);
          return;
        }
        case UNDER_WAY -> {
          keepData(op, from, dataAt);
          op.client.done.again.add(op);
          return;
        }
        case NEW -> op.isOnce = true;
      }
    }
    if (what == DaemonOp.REMOVE) {
      book.removed.add(op.request.object);
    } else if (isOnce && book.removed.contains(op.request.object)) {
      answer(op, Errno.ENOENT, 0, 0);
      return;
    }
    accept(op, from, dataAt);
  }

  /** A message's buffer is posted again at once; a lent one is the client's until it has the answer. */
  static void keepData(DaemonOperation op, MemorySegment from, long dataAt) {
    if (op.data == null && op.request.op == DaemonOp.WRITE && op.request.band != Band.SERVER) {
      boolean isLent = op.request.band == Band.FAST;
      long bytes = op.request.file.totalBytes();
      op.data = isLent ? from : MemorySegment.ofArray(from.asSlice(dataAt, bytes).toArray(ValueLayout.JAVA_BYTE));
      op.dataAt = isLent ? dataAt : 0;
    }
  }

  /** Goes on with what came again and had to wait. */
  final void repeat() {
    while (!again.isEmpty()) {
      DaemonOperation op = again.poll();
      if (!op.client.isClosed) {
        begin(op, op.data, op.dataAt);
      }
    }
  }

  private void over(DaemonOperation op, boolean isDone) {
    if (op.isOnce) {
      op.isOnce = false;
      op.client.done.end(op.request.id, isDone, again);
    }
  }

  /** An operation of a client that is gone ends without having been done. True. */
  final boolean dropped(DaemonOperation op) {
    over(op, false);
    return true;
  }

  /** Bytes of what is asked for that the object has. */
  static long had(DaemonOperation op) {
    long had = 0;
    for (int i = 0; i < op.request.file.count(); i++) {
      had += Math.clamp(op.objectBytes - op.request.file.offset(i), 0, op.request.file.bytes(i));
    }
    return had;
  }

  // Answers.

  final void answer(DaemonOperation op, int errno, long bytes, long length) {
    over(op, errno == Errno.OK);
    op.errno = errno;
    op.moved = bytes;
    op.objectBytes = length;
    op.client.answering.add(op);
    flush(op.client);
  }

  /** Bytes that a page may have: as many as were asked for and a message to the client holds. */
  static int pageBytes(DaemonOperation op) {
    int room = DaemonRequest.BYTES_MAX + Math.max(op.client.theirs.inlineBytes(), DaemonReply.BYTES);
    long wanted = op.request.file.count() == 0 ? 0 : op.request.file.bytes(0);
    return (int) Math.min(wanted, Math.min(room, op.client.channel.settings().messageBytes()) - DaemonReply.BYTES);
  }

  final void answerPage(DaemonOperation op, ObjectPage page) {
    op.data = page.bytes();
    answer(op, page.isTooSmall() ? Errno.EINVAL : Errno.OK, op.data.byteSize(), page.next());
  }

  final void flush(DaemonClient client) {
    while (!client.answering.isEmpty() && !client.isClosed) {
      int slot = client.channel.reserve();
      if (slot == MessageChannel.NO_BUFFER) {
        return;
      }
      send(client.answering.poll(), slot);
    }
  }

  private void send(DaemonOperation op, int slot) {
    if (op.request.op == DaemonOp.READ && op.errno == Errno.OK) {
      sendRead(op, slot);
      return;
    }
    MessageChannel channel = op.client.channel;
    long at = channel.offset(slot);
    encode(op, at);
    int bytes = 0;
    if (op.request.op == DaemonOp.LIST && op.errno == Errno.OK) {
      bytes = (int) op.data.byteSize();
      MemorySegment.copy(op.data, 0, channel.buffers(), at + DaemonReply.BYTES, bytes);
    }
    channel.send(slot, DaemonReply.BYTES + bytes, true);
    op.client.giveBack(op);
  }

  final void encode(DaemonOperation op, long at) {
    reply.set(op.request.id, op.errno, op.moved, op.objectBytes).encode(op.client.channel.buffers(), at);
  }

  @Override
  public void onSendRoom(MessageChannel channel) {
    DaemonClient client = (DaemonClient) channel.attachment();
    flush(client);
    pump(client);
  }

  @Override
  public void onFailed(MessageChannel channel, WcStatus status, int vendorErr) {
    broken.accept((DaemonClient) channel.attachment(), "its connection failed: " + status);
  }

  /** The client's queue pair is destroyed: nothing of it is moved any more. Who overrides it calls this last. */
  void forget(DaemonClient client) {
    client.done.again.removeIf(op -> op.client == client);
    repeat();
  }
}
