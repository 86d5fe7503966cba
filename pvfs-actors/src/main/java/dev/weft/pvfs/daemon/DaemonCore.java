package dev.weft.pvfs.daemon;

import dev.weft.hca.messaging.MessageChannel;
import dev.weft.hca.messaging.MessageHandler;
import dev.weft.hca.verbs.WcStatus;
import dev.weft.pvfs.Costs;
import dev.weft.pvfs.Errno;
import dev.weft.pvfs.wire.Band;
import dev.weft.pvfs.wire.DaemonOp;
import dev.weft.pvfs.wire.DaemonReply;
import dev.weft.pvfs.wire.DaemonRequest;
import dev.weft.pvfs.wire.DataSum;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.Map;
import java.util.function.BiConsumer;

/**
 * The request manager of an I/O daemon, for stripes in memory or on a disk. It checks requests and answers them. It executes no change twice, and
 * none on a removed object. Runs on the daemon's thread.
 *
 * <p>Bounds: as many operations as clients have credits.
 */
abstract class DaemonCore implements MessageHandler {
  final ClientBook book;
  private final CapabilityGuard guard;
  private final BiConsumer<DaemonClient, String> broken;
  private final DaemonReply reply = new DaemonReply();
  final DataSum sums = new DataSum();
  /** Repeated requests that waited for the first execution, which has ended. */
  private final ArrayDeque<DaemonOperation> again = new ArrayDeque<>();
  final long[] requests = new long[DaemonOp.values().length];
  final long[] bands = new long[Band.values().length];
  /** Bytes of reads and writes by band, as requested. */
  final long[] bandBytes = new long[Band.values().length];
  final BusyObjects busy = new BusyObjects();
  private final WriteTimes times = new WriteTimes();
  long bytesRead;
  long bytesWritten;
  /** Bytes copied by a processor instead of RDMA. */
  long bytesCopied;
  long refused;
  /** Writes that ended with their connection after a part of their data had arrived. */
  long cutOff;
  /** Writes whose data differed from what the client sent. */
  long badWrites;
  /** Requests that were done before, and were answered once more. */
  long repeated;

  /** Null if clients do not move data themselves. */
  private Loans loans;
  private Costs costs = Costs.NONE;

  /** @param broken gets clients whose connection cannot be used any more, with the reason, and ends the connection */
  DaemonCore(ClientBook book, CapabilityGuard guard, BiConsumer<DaemonClient, String> broken) {
    this.book = book;
    this.guard = guard;
    this.broken = broken;
  }

  /** Sets the buffers for clients that move data themselves. Without them, {@link Band#CLIENT} is served as {@link Band#SERVER}. */
  final void lendFrom(Loans buffers) {
    loans = buffers;
  }

  /** Sets who is charged for work from now on. */
  final void charge(Costs by) {
    costs = by;
  }

  /** A processor copies, instead of RDMA. */
  final void copied(long bytes) {
    bytesCopied += bytes;
    costs.copies(bytes);
  }

  /** Charges for the next message: an answer with so many bytes of data. */
  final void sends(long dataBytes) {
    costs.sends(DaemonReply.BYTES + dataBytes);
  }

  /** Begins an operation. The data behind its request is valid only during this call; in a lent buffer, until the answer. */
  abstract void accept(DaemonOperation op, MemorySegment from, long dataAt);

  /** Answers a request that was done before. */
  abstract void answerDone(DaemonOperation op);

  /** Posts as much as the connection takes. */
  abstract void pump(DaemonClient client);

  /** Sends the answer of a successful read in the send buffer. */
  abstract void sendRead(DaemonOperation op, int slot);

  /** Space for stripes in total. */
  abstract long totalBytes();

  abstract long freeBytes();

  /** Number of local objects. */
  abstract int objects();

  /** Null without a disk. */
  DaemonSnapshot.Disk view() {
    return null;
  }

  /** Number of operations whose data is moving. */
  abstract int moving();

  /** Number of operations that wait for memory. */
  abstract int starving();

  /** Whether operations wait for buffers that other clients hold. */
  abstract boolean hasWaiting();

  /** For each client whose data is kept or moving, the number of its oldest such operation, in order. Others may wait for these. */
  abstract Map<DaemonClient, Long> oldest();

  /** The disk has done a job. */
  void onDone(DiskJob job) {
    throw new IllegalStateException("a daemon with stripes in memory has no jobs at a disk");
  }

  /** Does some deferred cleaning; returns whether there is more. */
  boolean clean(int steps) {
    return false;
  }

  @Override
  public void onMessage(MessageChannel channel, MemorySegment buffer, long offset, int length) {
    onRequest(DaemonClient.of(channel), buffer, offset, length);
  }

  @Override
  public boolean onImmediate(MessageChannel channel, int slot, int length) {
    DaemonClient client = DaemonClient.of(channel);
    if (client.fast == null || slot < 0 || (slot + 1L) * client.slotBytes > client.fast.length() || length > client.slotBytes) {
      return false;
    }
    onRequest(client, client.fast.segment(), (long) slot * client.slotBytes, length);
    return true;
  }

  private void onRequest(DaemonClient client, MemorySegment from, long at, int length) {
    costs.receives(length);
    if (DaemonRequest.isDone(from, at, length)) {
      onDone(client, DaemonRequest.doneId(from, at));
      return;
    }
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
    if (!client.channel.hasRdma() && op.request.band != Band.INLINE) {
      refused++;
      broken.accept(client, "it asks for data by band " + op.request.band + " over a connection that has messages only");
      return;
    }
    client.requests++;
    requests[op.request.op.ordinal()]++;
    note(op.request);
    op.begin();
    op.refusal = guard.check(client.verified, op.request);
    if (op.refusal != Errno.OK && !(isOnce(op) && client.done.knows(op.request.id))) {
      refused++;
      answer(op, op.refusal, 0, 0);
    } else if (op.request.band == Band.CLIENT) {
      wantLoan(op);
    } else {
      begin(op, from, at + head);
    }
    repeat();
  }

  // Data moved by clients.

  private void wantLoan(DaemonOperation op) {
    long bytes = op.request.file.totalBytes();
    if (loans == null || !op.movesData() || bytes == 0 || bytes > loans.bytes()) {
      op.request.band = Band.SERVER;
      begin(op, null, 0);
    } else {
      loans.want(op);
    }
  }

  private void lendNext() {
    for (DaemonOperation op = loans == null ? null : loans.next(); op != null; op = loans.next()) {
      if (op.request.op == DaemonOp.WRITE) {
        lend(op);
      } else {
        begin(op, null, 0);
      }
    }
  }

  /** Binds or revokes the loan of a client. */
  private void lend(DaemonOperation op) {
    op.client.lending.add(op);
    postLoans(op.client);
  }

  private void postLoans(DaemonClient client) {
    while (!client.lending.isEmpty() && loans.post(client.lending.peek())) {
      client.lending.poll();
    }
  }

  /** For a read whose data is in {@link #loanMemory} at {@link #loanOffset}: lets its client fetch it. */
  final void lendRead(DaemonOperation op) {
    lend(op);
  }

  final MemorySegment loanMemory() {
    return loans.memory();
  }

  final long loanOffset(DaemonOperation op) {
    return loans.offset(op);
  }

  /** Returns true if the completion belongs to a loan that was bound or revoked. */
  final boolean onLoanCompleted(long token) {
    if (!Loans.isOfLoan(token)) {
      return false;
    }
    DaemonOperation op = loans.completed(token);
    if (op == null) {
      return true; // Its client has gone.
    }
    if (loans.isLent(op)) {
      op.saysLoan = true;
      op.client.answering.add(op);
      flush(op.client);
    } else if (op.request.op == DaemonOp.WRITE) {
      begin(op, loans.memory(), loans.offset(op));
    } else {
      op.isHandedOver = true;
      op.client.answering.add(op);
      flush(op.client);
    }
    repeat();
    return true;
  }

  private void onDone(DaemonClient client, long id) {
    DaemonOperation op = loans == null ? null : loans.done(client, id);
    if (op == null) {
      refused++;
      broken.accept(client, "it says that it is done with the buffer of request " + id + ", for which it has none");
      return;
    }
    lend(op);
  }

  /** The operation is answered: frees its buffers. */
  private void end(DaemonOperation op) {
    if (op.loan != null) {
      loans.giveBack(op);
    }
    op.client.giveBack(op);
  }

  /** Number of loans that clients have now. */
  final int lent() {
    return loans == null ? 0 : loans.lent();
  }

  private void note(DaemonRequest request) {
    if (request.op == DaemonOp.READ || request.op == DaemonOp.WRITE) {
      bandBytes[request.band.ordinal()] += request.file.totalBytes();
      busy.count(request.object, request.file.totalBytes());
    }
  }

  private static boolean isOnce(DaemonOperation op) {
    return switch (op.request.op) {
      case WRITE, TRUNCATE, EXTEND, PUNCH -> true;
      default -> false;
    };
  }

  private void begin(DaemonOperation op, MemorySegment from, long dataAt) {
    DaemonOp what = op.request.op;
    boolean isOnce = isOnce(op);
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
      if (op.refusal != Errno.OK) { // It was not done the first time, so it must not be done now.
        refused++;
        answer(op, op.refusal, 0, 0);
        return;
      }
    }
    if (what == DaemonOp.REMOVE) {
      book.removed.add(op.request.object);
    } else if (isOnce && book.removed.contains(op.request.object)) {
      answer(op, Errno.ENOENT, 0, 0);
      return;
    }
    if (op.isChecked()) {
      sums.begin(op.sum, op.request.object, op.request.file);
      if (comesWithData(op)) {
        sums.add(op.sum, from, dataAt, op.request.file.totalBytes());
        if (!op.isAsSent()) {
          badWrites++;
          answer(op, Errno.EBADMSG, 0, 0);
          return;
        }
      }
    }
    accept(op, from, dataAt);
  }

  /** Whether the data of a write is here when the operation begins. The daemon fetches other data later. */
  private static boolean comesWithData(DaemonOperation op) {
    return op.request.op == DaemonOp.WRITE && op.request.band != Band.SERVER;
  }

  /** Keeps the data of a waiting write. A message's buffer is posted again at once, so its data is copied; a lent buffer is stable until the answer. */
  static void keepData(DaemonOperation op, MemorySegment from, long dataAt) {
    if (op.data == null && comesWithData(op)) {
      boolean isLent = op.request.band == Band.FAST || op.request.band == Band.CLIENT;
      long bytes = op.request.file.totalBytes();
      op.data = isLent ? from : MemorySegment.ofArray(from.asSlice(dataAt, bytes).toArray(ValueLayout.JAVA_BYTE));
      op.dataAt = isLent ? dataAt : 0;
    }
  }

  /** Continues repeated requests that had to wait. */
  final void repeat() {
    while (!again.isEmpty()) {
      DaemonOperation op = again.poll();
      if (!op.client.isClosed) {
        begin(op, op.data, op.dataAt);
      }
    }
    lendNext();
  }

  private void over(DaemonOperation op, boolean isDone) {
    if (op.isOnce) {
      op.isOnce = false;
      op.client.done.end(op.request.id, isDone, again);
    }
  }

  /** Ends an operation of a client that has gone, as not done. Returns true. */
  final boolean dropped(DaemonOperation op) {
    over(op, false);
    return true;
  }

  /** Returns how many of the requested bytes the object has. */
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
    if (errno == Errno.OK) {
      times.done(op.request);
    }
    op.errno = errno;
    op.moved = op.request.op == DaemonOp.STAT ? times.of(op.request.object) : bytes;
    op.objectBytes = length;
    op.client.answering.add(op);
    flush(op.client);
  }

  /** Returns the maximum bytes of a page: the requested number, as far as a message to the client holds it. */
  static int pageBytes(DaemonOperation op) {
    int room = DaemonRequest.BYTES_MAX + Math.max(op.client.theirs.inlineBytes(), DaemonReply.BYTES);
    long wanted = op.request.file.count() == 0 ? 0 : op.request.file.bytes(0);
    return (int) Math.min(wanted, Math.min(room, op.client.channel.messageBytes()) - DaemonReply.BYTES);
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
    if (op.saysLoan) {
      op.saysLoan = false;
      MessageChannel to = op.client.channel;
      sends(0);
      to.send(slot, reply.encodeLoan(to.buffers(), to.offset(slot), op.request.id, loans.address(op), loans.rkey(op)), true);
      return;
    }
    if (op.request.op == DaemonOp.READ && op.errno == Errno.OK && !op.isHandedOver) {
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
    sends(bytes);
    op.client.answered();
    channel.send(slot, DaemonReply.BYTES + bytes, true);
    end(op);
  }

  final void encode(DaemonOperation op, long at) {
    reply.set(op.request.id, op.errno, op.moved, op.objectBytes);
    if (op.request.op == DaemonOp.READ && op.isChecked() && op.errno == Errno.OK) {
      reply.checked(op.sum.value());
    } else if (op.request.op == DaemonOp.STATFS && op.disk != 0) {
      reply.checked(op.disk);
    }
    reply.encode(op.client.channel.buffers(), at);
  }

  @Override
  public void onSendRoom(MessageChannel channel) {
    DaemonClient client = DaemonClient.of(channel);
    flush(client);
    pump(client);
    postLoans(client);
    lendNext();
  }

  @Override
  public void onFailed(MessageChannel channel, WcStatus status, int vendorErr) {
    broken.accept(DaemonClient.of(channel), "its connection failed: " + status);
  }

  /** Forgets a client whose queue pair is destroyed: none of its data moves any more. An override calls this last. */
  void forget(DaemonClient client) {
    client.done.again.removeIf(op -> op.client == client);
    if (loans != null) {
      loans.forget(client);
    }
    repeat();
  }
}
