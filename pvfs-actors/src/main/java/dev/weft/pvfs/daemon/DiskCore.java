package dev.weft.pvfs.daemon;

import dev.weft.hca.messaging.MessageChannel;
import dev.weft.hca.verbs.WcStatus;
import dev.weft.pvfs.Errno;
import dev.weft.pvfs.wire.Band;
import dev.weft.pvfs.wire.DaemonOp;
import dev.weft.pvfs.wire.DaemonReply;
import dev.weft.pvfs.wire.DaemonRequest;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.agrona.collections.Long2ObjectHashMap;

/**
 * Requests to a daemon with stripes on a disk. Data is cut into parts, each in a zone buffer: while one part is at the disk, the next is on the
 * network (PVFS over InfiniBand, section 4.5.3). Jobs for one object go to the disk in the order in which their data arrives. Truncation, holes and
 * removal wait for writes that have begun; later writes wait behind them.
 *
 * <p>Bounds: the zone buffers, two of them for each operation; the jobs of a {@link DiskQueue}.
 */
final class DiskCore extends DaemonCore {
  private static final long ANSWER_BIT = 1L << 62;
  /** Bytes that one scrub reads, so that others do not wait long. */
  private static final int SCRUB_BYTES = 4 << 20;

  private final String directory;
  private final DiskCounters counters;
  private final Zones zones;
  private final DiskQueue disk;
  private final PartTransfers transfers = new PartTransfers();
  private final ZoneTurns turns;
  /** Parts on the network, by number. */
  private final Long2ObjectHashMap<DiskJob> onNetwork = new Long2ObjectHashMap<>();
  /** Reads whose answer is on its way, by number. */
  private final Long2ObjectHashMap<DaemonOperation> answered = new Long2ObjectHashMap<>();
  private final WriteOrder order = new WriteOrder();
  private final List<DaemonOperation> moving = new ArrayList<>();
  private long numbers;

  /**
   * @param jobsMax jobs at the disk at a time
   * @param disk gets jobs; {@link #onDone} follows for each
   */
  DiskCore(String directory, DiskCounters counters, Zones zones, int transferBytes, int jobsMax, Consumer<DiskJob> disk,
      ClientBook book, CapabilityGuard guard, BiConsumer<DaemonClient, String> broken) {
    super(book, guard, broken);
    this.directory = directory;
    this.counters = counters;
    this.zones = zones;
    this.disk = new DiskQueue(jobsMax, disk);
    this.turns = new ZoneTurns(zones, transferBytes, this::startPart);
  }

  @Override
  void accept(DaemonOperation op, MemorySegment from, long dataAt) {
    if (order.hasToWait(op)) {
      keepData(op, from, dataAt);
      order.await(op);
    } else {
      run(op, from, dataAt);
    }
  }

  private void run(DaemonOperation op, MemorySegment from, long dataAt) {
    DaemonRequest request = op.request;
    switch (request.op) {
      case READ -> read(op);
      case WRITE -> write(op, from, dataAt);
      case STAT, SYNC, REMOVE, STATFS -> disk.submit(new DiskJob(op, request.op, request.object));
      case PUNCH -> disk.submit(new DiskJob(op, request.op, request.object).withRanges());
      case TRUNCATE, EXTEND -> {
        if (request.file.count() == 1) {
          disk.submit(new DiskJob(op, request.op, request.object).withRanges());
        } else {
          answer(op, Errno.EINVAL, 0, 0);
        }
      }
      case SCRUB -> {
        if (request.file.count() == 1) {
          DiskJob job = new DiskJob(op, request.op, request.object).withRanges();
          job.lengths[0] = Math.min(job.lengths[0], SCRUB_BYTES);
          disk.submit(job);
        } else {
          answer(op, Errno.EINVAL, 0, 0);
        }
      }
      case LIST -> {
        DiskJob job = new DiskJob(op, request.op, 0).withRanges();
        job.offsets = job.offsets.length == 0 ? new long[1] : job.offsets;
        job.page = new ObjectPage(pageBytes(op));
        disk.submit(job);
      }
    }
  }

  @Override
  void answerDone(DaemonOperation op) {
    disk.submit(new DiskJob(op, DaemonOp.STAT, op.request.object));
  }

  // Reads and writes.

  private void read(DaemonOperation op) {
    bands[op.request.band.ordinal()]++;
    long bytes = op.request.file.totalBytes();
    boolean fits = switch (op.request.band) {
      case INLINE -> bytes <= op.client.channel.messageBytes() - DaemonReply.BYTES;
      case FAST -> bytes <= op.client.theirs.slotBytes() - DaemonReply.BYTES && bytes <= zones.biggestBytes()
          && op.request.replySlot < op.client.theirs.fastSlots();
      case SERVER, CLIENT -> true;
    };
    if (!fits) {
      answer(op, Errno.EINVAL, 0, 0);
      return;
    }
    op.answersWithData = op.request.band != Band.SERVER;
    begin(op);
  }

  private void write(DaemonOperation op, MemorySegment from, long dataAt) {
    bands[op.request.band.ordinal()]++;
    order.begun(op.request.object);
    op.write = new DiskJob.Write();
    boolean isLent = op.data == null;
    if (isLent) {
      op.data = from;
      op.dataAt = dataAt;
    }
    if (op.request.band == Band.FAST && op.request.file.count() > 0) {
      writeInPlace(op);
      return;
    }
    begin(op);
    if (isLent && op.wantsZone && op.request.band == Band.INLINE) { // The message's buffer is posted again at once.
      op.data = null;
      keepData(op, from, dataAt);
    }
  }

  /** Writes from the buffer lent to the client, which must not change it before the answer. If it does, only its own file gets bad data. */
  private void writeInPlace(DaemonOperation op) {
    moving.add(op);
    int bytes = (int) op.request.file.totalBytes();
    DiskJob part = DiskJob.part(op, op.data.asSlice(op.dataAt, bytes));
    cut(part, bytes, false);
    disk.submit(part);
  }

  private static void cut(DiskJob part, int bytes, boolean movesByRdma) {
    PartTransfers.cut(part, bytes, movesByRdma);
    part.isLast = part.op.isMoved();
    part.op.parts++;
  }

  private void begin(DaemonOperation op) {
    if (op.request.file.count() == 0) { // Without ranges, only the length is asked for.
      endMove(op);
      return;
    }
    moving.add(op);
    turns.want(op);
    turns.grant();
  }

  private void startPart(DaemonOperation op, Zones.Zone zone, int bytes) {
    DiskJob part = DiskJob.part(op, zone.memory(bytes));
    part.zone = zone;
    boolean isServer = op.request.band == Band.SERVER;
    long dataAt = op.dataAt + op.moved;
    cut(part, bytes, isServer);
    if (op.request.op == DaemonOp.READ) {
      disk.submit(part);
    } else if (isServer) {
      post(part);
    } else {
      MemorySegment.copy(op.data, dataAt, part.data, 0, bytes);
      copied(bytes);
      disk.submit(part);
    }
  }

  private void post(DiskJob part) {
    part.number = ++numbers;
    onNetwork.put(part.number, part);
    part.op.client.partsToPost.add(part);
    pump(part.op.client);
  }

  @Override
  void pump(DaemonClient client) {
    while (!client.partsToPost.isEmpty() && transfers.post(client.partsToPost.peek())) {
      DiskJob part = client.partsToPost.poll();
      if (part.isLast && part.what == DaemonOp.READ) {
        answer(part.op, Errno.OK, had(part.op), part.op.objectBytes);
      }
    }
  }

  @Override
  public void onCompleted(MessageChannel channel, long token, WcStatus status) {
    if (status != WcStatus.SUCCESS || onLoanCompleted(token)) {
      return; // A failed channel is reported separately.
    }
    if ((token & ANSWER_BIT) != 0) {
      DaemonOperation op = answered.remove(token & ~ANSWER_BIT);
      if (op != null) {
        giveBackZone(op.part);
        op.client.giveBack(op);
      }
    } else {
      DiskJob part = onNetwork.remove(token);
      if (part != null && part.what == DaemonOp.WRITE) {
        fetched(part);
      } else if (part != null) {
        endPart(part);
      }
    }
    turns.grant();
    repeat();
  }

  /** The data of a part of a write has arrived. Parts come in order, so the last one shows whether all data is what the client sent. */
  private void fetched(DiskJob part) {
    DaemonOperation op = part.op;
    if (op.isChecked()) {
      sums.add(op.sum, part.data, 0, part.bytes());
    }
    if (op.isChecked() && part.isLast && op.errno == Errno.OK && !op.isAsSent()) {
      badWrites++;
      op.errno = Errno.EBADMSG;
      endPart(part);
    } else {
      disk.submit(part);
    }
  }

  private void giveBackZone(DiskJob part) {
    if (part != null && part.zone != null) {
      zones.giveBack(part.zone);
      part.zone = null;
    }
  }

  /** Frees the zone buffer of a part. */
  private void endPart(DiskJob part) {
    DaemonOperation op = part.op;
    giveBackZone(part);
    op.parts--;
    if (op.client.isClosed || op.errno != Errno.OK) {
      if (op.parts == 0) {
        endMove(op);
      }
    } else {
      turns.want(op);
    }
  }

  // The disk.

  @Override
  void onDone(DiskJob job) {
    disk.done();
    DaemonOperation op = job.op;
    if (op == null) {
      return; // It ended an abandoned write.
    }
    if (job.data == null) {
      onOtherDone(job);
    } else if (job.what == DaemonOp.WRITE) {
      onWritten(job);
    } else {
      onRead(job);
    }
    turns.grant();
    repeat();
  }

  private void onOtherDone(DiskJob job) {
    DaemonOperation op = job.op;
    if (job.page != null && job.errno == Errno.OK) {
      answerPage(op, job.page);
      return;
    }
    op.disk = job.disk;
    answer(op, job.errno, op.request.op == DaemonOp.WRITE ? op.request.file.totalBytes() : job.result, job.objectBytes);
  }

  private void onWritten(DiskJob part) {
    DaemonOperation op = part.op;
    if (part.errno != Errno.OK && op.errno == Errno.OK) {
      op.errno = part.errno;
    }
    op.objectBytes = part.objectBytes;
    giveBackZone(part);
    op.parts--;
    if (part.isLast && part.errno == Errno.OK) {
      op.isWritten = true;
      endMove(op);
    } else if (op.parts == 0 && (op.errno != Errno.OK || op.client.isClosed)) {
      endMove(op);
    } else {
      turns.want(op);
    }
  }

  private void onRead(DiskJob part) {
    DaemonOperation op = part.op;
    if (part.errno != Errno.OK && op.errno == Errno.OK) {
      op.errno = part.errno;
    }
    if (op.errno != Errno.OK || op.client.isClosed) {
      endPart(part);
      return;
    }
    op.objectBytes = op.isSeen ? op.objectBytes : part.objectBytes;
    op.isSeen = true;
    sumRead(part);
    if (op.answersWithData) {
      op.parts--;
      moving.remove(op);
      giveData(part);
    } else {
      post(part); // The answer follows the last one.
      turns.want(op);
    }
  }

  /** Adds the object's bytes in a part to the checksum. */
  private void sumRead(DiskJob part) {
    if (!part.op.isChecked()) {
      return;
    }
    long at = 0;
    for (int i = 0; i < part.lengths.length; i++) {
      sums.add(part.op.sum, part.data, at, Math.clamp(part.op.objectBytes - part.offsets[i], 0, part.lengths[i]));
      at += part.lengths[i];
    }
  }

  /** Sends all requested data with the answer, or lets the client fetch it first. */
  private void giveData(DiskJob part) {
    DaemonOperation op = part.op;
    if (op.request.band == Band.CLIENT) {
      MemorySegment.copy(part.data, 0, loanMemory(), loanOffset(op), part.bytes());
      copied(part.bytes());
      giveBackZone(part);
      op.moved = had(op);
      bytesRead += op.moved;
      lendRead(op);
    } else {
      op.part = part;
      answer(op, Errno.OK, had(op), op.objectBytes);
    }
  }

  /** Ends a read that failed, or a write: all its parts are over, or will not come. */
  private void endMove(DaemonOperation op) {
    moving.remove(op);
    turns.stopWanting(op);
    if (op.request.op == DaemonOp.WRITE) {
      if (!op.isWritten && op.request.file.count() > 0) {
        DiskJob giveUp = new DiskJob(null, null, op.request.object);
        giveUp.write = op.write;
        disk.submit(giveUp);
      }
      order.ended(op.request.object, waited -> run(waited, waited.data, waited.dataAt));
    }
    if (op.client.isClosed && !op.isWritten) {
      cutOff += op.request.op == DaemonOp.WRITE && op.moved > 0 ? 1 : 0; // Some data of a part with a buffer may have been written.
      dropped(op);
    } else if (op.request.file.count() == 0) {
      disk.submit(new DiskJob(op, DaemonOp.STAT, op.request.object));
    } else {
      bytesWritten += op.isWritten ? op.request.file.totalBytes() : 0;
      answer(op, op.errno, op.isWritten ? op.request.file.totalBytes() : 0, op.objectBytes);
    }
  }

  @Override
  void sendRead(DaemonOperation op, int slot) {
    MessageChannel channel = op.client.channel;
    long at = channel.offset(slot);
    encode(op, at);
    bytesRead += op.moved;
    op.client.answered();
    long number = ++numbers;
    answered.put(number, op);
    switch (op.request.band) {
      case INLINE -> {
        int bytes = op.part == null ? 0 : op.part.bytes();
        if (bytes > 0) {
          MemorySegment.copy(op.part.data, 0, channel.buffers(), at + DaemonReply.BYTES, bytes);
          copied(bytes);
          giveBackZone(op.part);
        }
        sends(bytes);
        channel.sendNotified(slot, DaemonReply.BYTES + bytes, true, number | ANSWER_BIT);
      }
      case FAST -> {
        DiskJob part = op.part;
        sends(part == null ? 0 : part.bytes());
        channel.writeWith(slot, DaemonReply.BYTES, part == null ? _ -> { } : work -> work.sge(part.zone.region, part.zone.at, part.bytes()),
            op.client.theirs.addressOf(op.request.replySlot), op.client.theirs.rkey(), op.request.replySlot, true, number | ANSWER_BIT);
      }
      case SERVER, CLIENT -> {
        moving.remove(op);
        sends(0);
        channel.sendNotified(slot, DaemonReply.BYTES, true, number | ANSWER_BIT);
      }
    }
  }

  @Override
  void forget(DaemonClient client) {
    turns.forget(client);
    client.partsToPost.clear();
    order.removeIf(op -> op.client == client && dropped(op));
    client.answering.forEach(op -> giveBackZone(op.part));
    List<DaemonOperation> unanswered = answered.values().stream().filter(op -> op.client == client).toList();
    unanswered.forEach(op -> giveBackZone(op.part));
    answered.values().removeIf(op -> op.client == client);
    List<DiskJob> parts = onNetwork.values().stream().filter(part -> part.op.client == client).toList();
    List<DaemonOperation> idle = moving.stream().filter(op -> op.client == client && op.parts == 0).toList();
    for (DiskJob part : parts) {
      onNetwork.remove(part.number);
      endPart(part);
    }
    idle.forEach(this::endMove); // The others end with their last part.
    turns.grant();
    super.forget(client);
  }

  @Override
  boolean hasWaiting() {
    return turns.hasWaiting() || order.hasWaiting();
  }

  @Override
  Map<DaemonClient, Long> oldest() {
    Map<DaemonClient, Long> oldest = new LinkedHashMap<>();
    onNetwork.forEachLong((number, part) -> oldest.merge(part.op.client, number, Math::min));
    answered.forEachLong((number, op) -> oldest.merge(op.client, number, Math::min));
    return oldest;
  }

  @Override
  int moving() {
    return moving.size();
  }

  @Override
  int starving() {
    return turns.waiting();
  }

  @Override
  long totalBytes() {
    return counters.totalBytes.get();
  }

  @Override
  long freeBytes() {
    return counters.freeBytes.get();
  }

  @Override
  int objects() {
    return (int) Math.min(Integer.MAX_VALUE, counters.objects.get());
  }

  @Override
  DaemonSnapshot.Disk view() {
    return new DaemonSnapshot.Disk(directory, zones.count(), zones.used(), zones.usedMax(), disk.size(), counters.bytesRead.get(),
        counters.bytesWritten.get(), counters.bytesCopied.get(), counters.syncs.get(), counters.marks.get(), counters.checksumErrors.get(),
        counters.errors.get());
  }
}
