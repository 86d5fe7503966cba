package dev.weft.pvfs.daemon;

import dev.weft.hca.messaging.MessageChannel;
import dev.weft.hca.verbs.WcStatus;
import dev.weft.hca.verbs.WorkRequest;
import dev.weft.pvfs.Errno;
import dev.weft.pvfs.wire.Band;
import dev.weft.pvfs.wire.DaemonOp;
import dev.weft.pvfs.wire.DaemonReply;
import dev.weft.pvfs.wire.DaemonRequest;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import org.agrona.collections.LongHashSet;

/**
 * Requests to a daemon with stripes in memory. The answer of a read follows its data on the same connection, which keeps the order. If the daemon
 * fetches the data of a write, the answer waits for it.
 */
final class MemoryCore extends DaemonCore {
  /** Token of an answer whose data must stay in the stripes until the client has it. */
  private static final long ANSWER_BIT = 1L << 62;
  /** Pieces of memory in one request with an answer. */
  private static final int FAST_PIECES_MAX = 3;

  private final StripeMemory stripes;
  private final Transfers transfers;
  private final WorkRequest scratch = new WorkRequest();
  /** Operations that move data by RDMA, by number, in that order. */
  private final LinkedHashMap<Long, DaemonOperation> moving = new LinkedHashMap<>();
  /** Writes that wait until chunks can be reused. */
  private final ArrayDeque<DaemonOperation> starving = new ArrayDeque<>();
  private final HeldRanges held = new HeldRanges();
  /** Operations that must not change held ranges or free their memory, and operations that must not overtake these, in order. */
  private final ArrayDeque<DaemonOperation> behind = new ArrayDeque<>();
  /** Objects with memory beyond their length, from failed writes. */
  private final LongHashSet tainted = new LongHashSet();
  private long begun;
  /** @param broken gets clients whose connection cannot be used any more, with the reason, and ends the connection */
  MemoryCore(StripeMemory stripes, Transfers transfers, ClientBook book, CapabilityGuard guard, BiConsumer<DaemonClient, String> broken) {
    super(book, guard, broken);
    this.stripes = stripes;
    this.transfers = transfers;
  }

  @Override
  void accept(DaemonOperation op, MemorySegment from, long dataAt) {
    op.objectBytes = stripes.bytes(op.request.object);
    if (isBehind(op)) {
      keepData(op, from, dataAt);
      behind.add(op);
      return;
    }
    run(op, from, dataAt);
    cleanUp();
  }

  @Override
  void answerDone(DaemonOperation op) {
    answer(op, Errno.OK, op.request.file.totalBytes(), stripes.bytes(op.request.object));
  }

  /** Whether it waits for moving data, or for an operation that does. */
  private boolean isBehind(DaemonOperation op) {
    return switch (op.request.op) {
      case TRUNCATE, PUNCH, REMOVE -> held.holds(op.request.object) || isAmongBehind(op.request.object);
      case READ, WRITE -> held.delays(op) || mustFollow(op);
      default -> false;
    };
  }

  private boolean mustFollow(DaemonOperation op) {
    return !behind.isEmpty() && behind.stream().anyMatch(waiting -> HeldRanges.mustFollow(waiting, op));
  }

  private boolean isAmongBehind(long object) {
    return behind.stream().anyMatch(one -> one.request.object == object);
  }

  private void run(DaemonOperation op, MemorySegment from, long dataAt) {
    DaemonRequest request = op.request;
    switch (request.op) {
      case READ -> {
        bands[request.band.ordinal()]++;
        read(op);
      }
      case WRITE -> {
        bands[request.band.ordinal()]++;
        write(op, from, dataAt);
      }
      case STAT, SYNC -> answer(op, Errno.OK, 0, stripes.bytes(request.object));
      case TRUNCATE, EXTEND -> changeLength(op);
      case PUNCH -> {
        for (int i = 0; i < request.holes(); i++) {
          stripes.punch(request.object, request.holeFrom(i), request.holeEnd(i));
        }
        answer(op, Errno.OK, 0, op.objectBytes);
      }
      case REMOVE -> answer(op, stripes.remove(request.object) ? Errno.OK : Errno.ENOENT, 0, 0);
      case STATFS -> answer(op, Errno.OK, stripes.freeBytes(), stripes.totalBytes());
      case LIST -> list(op);
      case SCRUB -> answer(op, Errno.OK, 0, 0); // Stripes in memory have no stored checksums.
    }
  }

  private void list(DaemonOperation op) {
    ObjectPage page = new ObjectPage(pageBytes(op));
    stripes.forEach((object, bytes) -> page.offer(object, () -> bytes), op.request.file.count() == 0 ? 0 : op.request.file.offset(0));
    answerPage(op, page);
  }

  private void changeLength(DaemonOperation op) {
    DaemonRequest request = op.request;
    if (request.file.count() != 1) {
      answer(op, Errno.EINVAL, 0, op.objectBytes);
      return;
    }
    if (request.op == DaemonOp.EXTEND) {
      stripes.extend(request.object, request.file.offset(0));
    } else {
      stripes.truncate(request.object, request.file.offset(0));
    }
    answer(op, Errno.OK, 0, stripes.bytes(request.object));
  }

  // Reads.

  private void read(DaemonOperation op) {
    long bytes = op.request.file.totalBytes();
    boolean fits = switch (op.request.band) {
      case INLINE -> bytes <= op.client.channel.messageBytes() - DaemonReply.BYTES;
      case FAST -> bytes <= op.client.theirs.slotBytes() - DaemonReply.BYTES && op.request.replySlot < op.client.theirs.fastSlots();
      case SERVER, CLIENT -> true;
    };
    if (!fits) {
      answer(op, Errno.EINVAL, 0, op.objectBytes);
      return;
    }
    if (op.request.band == Band.CLIENT) {
      transfers.give(op, loanMemory(), loanOffset(op));
      sum(op);
      copied(bytes);
      op.moved = had(op);
      bytesRead += op.moved;
      lendRead(op);
      return;
    }
    op.answersWithData = op.request.band != Band.SERVER;
    startMoving(op);
    if (op.answersWithData && fitsBehindAnswer(op)) {
      answer(op, Errno.OK, had(op), op.objectBytes);
    } else {
      postBefore(op);
    }
  }

  private void sum(DaemonOperation op) {
    if (op.isChecked()) {
      transfers.sum(op, sums, held.isApart(op) || !held.isWritten(op.request.object));
    }
  }

  private boolean fitsBehindAnswer(DaemonOperation op) {
    return op.request.band != Band.FAST || transfers.addAll(op, scratch.send(), FAST_PIECES_MAX);
  }

  /** Sends the data before the answer, in requests of its own. */
  private void postBefore(DaemonOperation op) {
    op.moved = 0; // Counts again what it moves.
    if (op.request.band == Band.FAST) {
      op.request.memory.clear();
      op.request.memory.add(op.client.theirs.addressOf(op.request.replySlot) + DaemonReply.BYTES, (int) op.request.file.totalBytes(),
          op.client.theirs.rkey());
    }
    op.answersWithData = false;
    op.client.posting.add(op);
    pump(op.client);
  }

  // Writes.

  private void write(DaemonOperation op, MemorySegment from, long dataAt) {
    StripeMemory.Room room = makeRoom(op);
    if (room == StripeMemory.Room.LATER) {
      keepData(op, from, dataAt);
      starving.add(op);
      return;
    }
    if (room == StripeMemory.Room.NONE) {
      dropTail(op.request.object);
      answer(op, Errno.ENOSPC, 0, op.objectBytes);
      return;
    }
    if (op.request.band == Band.SERVER && op.request.file.count() > 0) {
      startMoving(op);
      op.client.posting.add(op);
      pump(op.client);
      return;
    }
    transfers.take(op, from, dataAt);
    copied(op.request.file.totalBytes());
    written(op);
  }

  private StripeMemory.Room makeRoom(DaemonOperation op) {
    for (int i = 0; i < op.request.file.count(); i++) {
      StripeMemory.Room room = stripes.fill(op.request.object, op.request.file.offset(i), op.request.file.bytes(i));
      if (room != StripeMemory.Room.MADE) {
        return room;
      }
    }
    return StripeMemory.Room.MADE;
  }

  private void written(DaemonOperation op) {
    stripes.extend(op.request.object, op.request.file.end());
    bytesWritten += op.request.file.totalBytes();
    answer(op, Errno.OK, op.request.file.totalBytes(), stripes.bytes(op.request.object));
  }

  /** Drops what a failed write has left beyond the object's length. If other writes move there, this happens when they end. */
  private void dropTail(long object) {
    if (held.isWritten(object)) {
      tainted.add(object);
    } else {
      stripes.punch(object, stripes.bytes(object), Long.MAX_VALUE);
    }
  }

  private void endWriting(long object) {
    if (!held.isWritten(object) && tainted.remove(object)) {
      dropTail(object);
    }
  }

  // Transfers.

  private void startMoving(DaemonOperation op) {
    op.number = ++begun;
    moving.put(op.number, op);
    held.hold(op);
    allowReuse();
  }

  @Override
  void pump(DaemonClient client) {
    while (!client.posting.isEmpty() && transfers.post(client.posting.peek())) {
      DaemonOperation op = client.posting.poll();
      if (op.request.op == DaemonOp.READ) {
        answer(op, Errno.OK, op.moved, op.objectBytes);
      }
    }
  }

  @Override
  public void onCompleted(MessageChannel channel, long token, WcStatus status) {
    if (status == WcStatus.SUCCESS && onLoanCompleted(token)) {
      return;
    }
    long number = token & ~ANSWER_BIT;
    if (status != WcStatus.SUCCESS) {
      return; // A failed channel is reported separately.
    }
    DaemonOperation op = moving.remove(number);
    if (op == null) {
      return;
    }
    held.release(op);
    if ((token & ANSWER_BIT) != 0) {
      op.client.giveBack(op);
    } else {
      fetched(op);
    }
    cleanUp();
    repeat();
  }

  /** The data of a write is in the stripes. */
  private void fetched(DaemonOperation op) {
    sum(op);
    if (!op.isChecked() || op.isAsSent()) {
      written(op);
    } else {
      badWrites++;
      dropTail(op.request.object);
      answer(op, Errno.EBADMSG, 0, stripes.bytes(op.request.object));
    }
    endWriting(op.request.object);
  }

  private void allowReuse() {
    stripes.allowReuse(begun, moving.isEmpty() ? begun : moving.firstEntry().getKey() - 1);
  }

  /** Some transfers have ended: continues operations that waited for them. */
  private void cleanUp() {
    allowReuse();
    for (int i = starving.size(); i > 0; i--) {
      DaemonOperation op = starving.poll();
      if (book.removed.contains(op.request.object)) {
        answer(op, Errno.ENOENT, 0, 0);
      } else if (isBehind(op)) {
        behind.add(op);
      } else {
        write(op, op.data, op.dataAt);
      }
    }
    if (held.hasReleased()) {
      runBehind();
    }
  }

  /** Not reentrant: a nested call would not see the operations that this one has taken out. */
  private void runBehind() {
    List<DaemonOperation> waited = List.copyOf(behind);
    behind.clear();
    for (DaemonOperation op : waited) {
      if (isBehind(op)) { // An earlier one of these, or a write, delays it.
        behind.add(op);
      } else {
        op.objectBytes = stripes.bytes(op.request.object);
        run(op, op.data, op.dataAt);
      }
    }
  }

  @Override
  boolean clean(int chunks) {
    return stripes.clean(chunks);
  }

  // Answers.

  @Override
  void sendRead(DaemonOperation op, int slot) {
    DaemonClient client = op.client;
    MessageChannel channel = client.channel;
    long at = channel.offset(slot);
    if (op.answersWithData && !fitsBehindAnswer(op)) { // The data has become more pieces meanwhile.
      channel.cancel(slot);
      postBefore(op);
      return;
    }
    bytesRead += op.moved;
    sum(op);
    encode(op, at);
    client.answered();
    long token = op.number | ANSWER_BIT; // Until then the data must stay.
    switch (op.request.band) {
      case INLINE -> {
        int bytes = (int) op.request.file.totalBytes();
        transfers.give(op, channel.buffers(), at + DaemonReply.BYTES);
        copied(bytes);
        channel.sendNotified(slot, DaemonReply.BYTES + bytes, true, token);
      }
      case FAST -> channel.writeWith(slot, DaemonReply.BYTES, op.answersWithData ? work -> transfers.addAll(op, work, FAST_PIECES_MAX) : work -> { },
          client.theirs.addressOf(op.request.replySlot), client.theirs.rkey(), op.request.replySlot, true, token);
      case SERVER, CLIENT -> channel.sendNotified(slot, DaemonReply.BYTES, true, token);
    }
  }

  @Override
  void forget(DaemonClient client) {
    starving.removeIf(op -> op.client == client && drop(op));
    boolean hasDropped = behind.removeIf(op -> op.client == client && (op.request.op == DaemonOp.WRITE ? drop(op) : dropped(op)));
    List<DaemonOperation> ended = moving.values().stream().filter(op -> op.client == client).toList();
    for (DaemonOperation op : ended) {
      moving.remove(op.number);
      held.release(op);
      if (op.request.op == DaemonOp.WRITE) {
        cutOff++;
        drop(op);
        endWriting(op.request.object);
      }
    }
    cleanUp();
    if (hasDropped) {
      runBehind();
    }
    super.forget(client);
  }

  private boolean drop(DaemonOperation op) {
    dropTail(op.request.object);
    return dropped(op);
  }

  @Override
  long totalBytes() {
    return stripes.totalBytes();
  }

  @Override
  long freeBytes() {
    return stripes.freeBytes();
  }

  @Override
  int objects() {
    return stripes.objects();
  }

  @Override
  boolean hasWaiting() {
    return !behind.isEmpty() || !starving.isEmpty();
  }

  @Override
  Map<DaemonClient, Long> oldest() {
    Map<DaemonClient, Long> oldest = new LinkedHashMap<>();
    moving.forEach((number, op) -> oldest.putIfAbsent(op.client, number));
    return oldest;
  }

  @Override
  int moving() {
    return moving.size();
  }

  @Override
  int starving() {
    return starving.size();
  }
}
