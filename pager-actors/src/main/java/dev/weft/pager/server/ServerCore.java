package dev.weft.pager.server;

import dev.weft.fabric.time.Marks;
import dev.weft.hca.messaging.MessageChannel;
import dev.weft.hca.messaging.MessageHandler;
import dev.weft.hca.messaging.QueuePairChannel;
import dev.weft.hca.verbs.WcStatus;
import dev.weft.hca.verbs.WorkRequest;
import dev.weft.pager.Errno;
import dev.weft.pager.PagerMark;
import dev.weft.pager.wire.PagerOp;
import dev.weft.pager.wire.PagerReply;
import dev.weft.pager.wire.PagerRequest;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.function.BiConsumer;
import java.util.function.ObjLongConsumer;

/**
 * The request logic of a memory server: moves the data and replies. For a client's read, it posts the RDMA Write and the reply
 * together, because a reliable connection keeps their order. For a write, the reply waits for the RDMA Read.
 */
final class ServerCore implements MessageHandler {
  private final ServerSettings settings;
  private final PagerStore store;
  private final BiConsumer<ClientArea, String> failed;
  private final BiConsumer<ClientArea, String> broken;
  private final CopyCharge charge;
  private final ObjLongConsumer<ServerOp> copiedAt;
  private final PagerReply reply;
  private final WorkRequest work = new WorkRequest();
  private final ArrayDeque<Integer> stagingFree = new ArrayDeque<>();
  private final ArrayDeque<ServerOp> stagingWaiting = new ArrayDeque<>();
  /** For each staging buffer, the client whose RDMA Write is being sent from it; otherwise null. */
  private final ClientArea[] stagedReads;
  final long[] requests = new long[PagerOp.count()];
  long bytesRead;
  long bytesWritten;
  long inlineWrites;
  int rdmaOutstanding;
  int rdmaOutstandingMax;

  /**
   * @param failed called with each client that has violated the protocol or whose memory is lost, and with the reason
   * @param broken called with each client whose queue pair has failed, and with the reason
   * @param copiedAt must call {@link #copied} at the given time; used only if copying is charged
   */
  ServerCore(ServerSettings settings, PagerStore store, BiConsumer<ClientArea, String> failed,
      BiConsumer<ClientArea, String> broken, CopyCharge charge, ObjLongConsumer<ServerOp> copiedAt) {
    this.settings = settings;
    this.store = store;
    this.failed = failed;
    this.broken = broken;
    this.charge = charge;
    this.copiedAt = copiedAt;
    this.reply = new PagerReply(settings.messageBytes());
    this.stagedReads = new ClientArea[store.isStaged() ? settings.stagingSlots() : 0];
    for (int i = 0; store.isStaged() && i < settings.stagingSlots(); i++) {
      stagingFree.add(i);
    }
  }

  int stagingFree() {
    return stagingFree.size();
  }

  int stagingWaiting() {
    return stagingWaiting.size();
  }

  @Override
  public void onMessage(MessageChannel channel, MemorySegment buffer, long offset, int length) {
    ClientArea client = (ClientArea) channel.attachment();
    ServerOp op = client.takeOp();
    if (op == null) {
      failed.accept(client, "more requests than its " + client.ops.length + " credits");
      return;
    }
    String wrong = op.request.decode(buffer, offset, length);
    if (wrong != null) {
      failed.accept(client, wrong);
      return;
    }
    requests[op.request.op.code()]++;
    if (op.request.op == PagerOp.FLUSH && store.hasLost(client.start, client.bytes)) {
      failed.accept(client, "its host could not keep pages of its area"); // No request has noticed it yet, and the flush must not succeed.
      return;
    }
    if (op.request.isInline) {
      beginInline(op, buffer, offset + PagerRequest.BYTES);
    } else {
      begin(op);
    }
  }

  private void begin(ServerOp op) {
    PagerRequest request = op.request;
    op.status = check(op);
    op.stage = ServerOp.Stage.REPLY;
    if (op.status == Errno.OK) {
      switch (request.op) {
        case READ, WRITE -> op.stage = ServerOp.Stage.TRANSFER;
        case TRIM -> op.client.trim(request.areaOffset, request.length);
        case ZERO -> op.client.map.zeroAndAllocate(request.areaOffset, request.length);
        case STATUS, FLUSH -> { }
      }
    }
    if (op.stage == ServerOp.Stage.TRANSFER && store.isStaged()) {
      stagingWaiting.add(op);
      if (stagingFree.isEmpty()) {
        Marks.hit(PagerMark.SERVER_WAITS_FOR_STAGING);
      }
      startStaged();
    } else {
      enqueue(op);
    }
  }

  /** Begins a write whose data is in the receive buffer, which is valid only during this call. */
  private void beginInline(ServerOp op, MemorySegment buffer, long dataOffset) {
    PagerRequest request = op.request;
    if (request.length > op.client.inlineBytes) {
      failed.accept(op.client, "a write of " + request.length + " bytes with its data, " + op.client.inlineBytes + " may come so");
      return;
    }
    op.status = check(op);
    if (op.status == Errno.OK) {
      op.client.map.prepareWrite(request.areaOffset, request.length);
      MemorySegment.copy(buffer, dataOffset, store.memory(), op.client.start + request.areaOffset, request.length);
      bytesWritten += request.length;
      inlineWrites++;
    }
    op.stage = ServerOp.Stage.REPLY;
    enqueue(op);
  }

  private int check(ServerOp op) {
    PagerRequest request = op.request;
    if (request.areaOffset > op.client.bytes - request.length) {
      return Errno.EINVAL;
    }
    boolean bounded = request.op == PagerOp.READ || request.op == PagerOp.WRITE || request.op == PagerOp.ZERO;
    return bounded && request.length > settings.maxRequestBytes() ? Errno.EOVERFLOW : Errno.OK;
  }

  private void startStaged() {
    while (!stagingWaiting.isEmpty() && !stagingFree.isEmpty()) {
      ServerOp op = stagingWaiting.poll();
      if (op.client.closed) {
        continue;
      }
      op.stagingSlot = stagingFree.poll();
      if (op.request.op == PagerOp.READ) {
        PagerRequest request = op.request;
        op.client.map.prepareRead(request.areaOffset, request.length);
        MemorySegment.copy(store.memory(), op.client.start + request.areaOffset, store.staging(), stagingOffset(op), request.length);
        if (isCharged(op)) {
          continue;
        }
      }
      enqueue(op);
    }
  }

  /** Whether the copy of an operation takes virtual time; then {@link #copied} is called later. */
  private boolean isCharged(ServerOp op) {
    long atNs = charge.madeAtNs(op.request.op == PagerOp.WRITE, op.request.length);
    if (atNs == 0) {
      return false;
    }
    copiedAt.accept(op, atNs);
    return true;
  }

  /** Continues an operation when the time charged for its copy has passed. */
  void copied(ServerOp op) {
    if (op.client.closed) {
      return;
    }
    if (op.stage == ServerOp.Stage.COPYING) {
      stored(op);
      startStaged();
    } else {
      enqueue(op);
    }
  }

  private long stagingOffset(ServerOp op) {
    return (long) op.stagingSlot * settings.maxRequestBytes();
  }

  private void releaseStaging(ServerOp op) {
    if (op.stagingSlot != ServerOp.NO_SLOT) {
      stagingFree.add(op.stagingSlot);
      op.stagingSlot = ServerOp.NO_SLOT;
    }
  }

  /** Continues a request now, or after the earlier ones of its client if the send queue has no room. */
  private void enqueue(ServerOp op) {
    op.client.waiting.add(op);
    pump(op.client);
  }

  /** Continues the requests that wait for room or for the end of zeroing. */
  void pump(ClientArea client) {
    while (!client.closed && !client.waiting.isEmpty() && advance(client.waiting.peek())) {
      client.waiting.poll();
    }
    if (!client.closed && !client.waiting.isEmpty() && !client.zeroing.isPending()) {
      Marks.hit(PagerMark.SERVER_WAITS_FOR_SEND_ROOM);
    }
  }

  /** Executes the next step; returns false if there is no room for it or zeroing must end first. */
  private boolean advance(ServerOp op) {
    if (op.stage == ServerOp.Stage.TRANSFER && !transfer(op)) {
      return false;
    }
    return op.stage == ServerOp.Stage.READING || answer(op);
  }

  private boolean transfer(ServerOp op) {
    PagerRequest request = op.request;
    int length = (int) request.length;
    boolean isRead = request.op == PagerOp.READ;
    WorkRequest rdma = isRead ? work.write(request.clientAddress, request.rkey) : work.read(request.clientAddress, request.rkey);
    if (op.stagingSlot != ServerOp.NO_SLOT) {
      rdma.sge(store.stagingMr(), stagingOffset(op), length);
    } else {
      rdma.sge(store.mr(), op.client.start + request.areaOffset, length);
      if (isRead) {
        op.client.map.prepareRead(request.areaOffset, length);
      } else {
        op.client.map.prepareWrite(request.areaOffset, length);
      }
    }
    if (op.client.zeroing.isPending()) {
      return false;
    }
    boolean wantsNotice = !isRead || op.stagingSlot != ServerOp.NO_SLOT;
    if (!op.client.channel.transfer(rdma, wantsNotice, token(op))) {
      return false;
    }
    if (wantsNotice) {
      rdmaOutstandingMax = Math.max(rdmaOutstandingMax, ++rdmaOutstanding);
    }
    if (isRead) {
      bytesRead += length;
      op.stage = ServerOp.Stage.REPLY;
      if (op.stagingSlot != ServerOp.NO_SLOT) {
        stagedReads[op.stagingSlot] = op.client;
        op.stagingSlot = ServerOp.NO_SLOT; // The completion frees the buffer, which its token identifies.
      }
    } else {
      op.stage = ServerOp.Stage.READING;
    }
    return true;
  }

  /** Returns the token of a transfer. For a staged read it identifies the buffer, because the operation may be reused before its transfer completes. */
  private static long token(ServerOp op) {
    return op.request.op == PagerOp.READ ? -1L - op.stagingSlot : op.index;
  }

  private boolean answer(ServerOp op) {
    QueuePairChannel channel = op.client.channel;
    int slot = channel.reserve();
    if (slot == MessageChannel.NO_BUFFER) {
      return false;
    }
    reply.id = op.request.id;
    reply.status = op.status;
    reply.extentCount = 0;
    if (op.request.op == PagerOp.STATUS && op.status == Errno.OK) {
      fillExtents(op);
    }
    channel.send(slot, reply.encode(channel.buffers(), channel.offset(slot)), true);
    op.client.release(op);
    return true;
  }

  private void fillExtents(ServerOp op) {
    long at = op.request.areaOffset;
    long end = at + op.request.length;
    while (at < end && reply.extentCount < reply.extents.length) {
      long run = op.client.map.runAt(at, end - at);
      reply.extents[reply.extentCount++] = run;
      at += Math.abs(run);
    }
  }

  @Override
  public void onCompleted(MessageChannel channel, long token, WcStatus status) {
    rdmaOutstanding--;
    ClientArea client = (ClientArea) channel.attachment();
    if (token < 0) {
      int slot = (int) (-1L - token);
      stagedReads[slot] = null;
      stagingFree.add(slot);
    } else {
      onReadCompleted(client, client.ops[(int) token], status);
    }
    startStaged();
  }

  private void onReadCompleted(ClientArea client, ServerOp op, WcStatus status) {
    if (status != WcStatus.SUCCESS) {
      op.stage = ServerOp.Stage.REPLY;
      return; // The failure of the channel follows.
    }
    PagerRequest request = op.request;
    bytesWritten += request.length;
    if (op.stagingSlot != ServerOp.NO_SLOT) {
      client.map.prepareWrite(request.areaOffset, request.length);
      MemorySegment.copy(store.staging(), stagingOffset(op), store.memory(), client.start + request.areaOffset, request.length);
      op.stage = ServerOp.Stage.COPYING;
      if (!isCharged(op)) {
        stored(op);
      }
    } else {
      op.stage = ServerOp.Stage.REPLY;
      enqueue(op);
    }
  }

  private void stored(ServerOp op) {
    releaseStaging(op);
    op.stage = ServerOp.Stage.REPLY;
    enqueue(op);
  }

  @Override
  public void onSendRoom(MessageChannel channel) {
    pump((ClientArea) channel.attachment());
  }

  @Override
  public void onFailed(MessageChannel channel, WcStatus status, int vendorErr) {
    Marks.hit(PagerMark.SERVER_QP_FAILED);
    ClientArea client = (ClientArea) channel.attachment();
    if (store.hasLost(client.start, client.bytes)) {
      failed.accept(client, "its host could not keep pages of its area");
    } else {
      broken.accept(client, "queue pair failed: " + status + " (" + vendorErr + ")");
    }
  }

  /**
   * Takes back the transfers and staging buffers of a client whose queue pair is destroyed, because they no longer complete.
   */
  void forget(ClientArea client) {
    for (ServerOp op : client.ops) {
      if (op.stage == ServerOp.Stage.READING) {
        Marks.hit(PagerMark.SERVER_TAKES_BACK_READ);
        rdmaOutstanding--;
        op.stage = ServerOp.Stage.REPLY;
      }
      releaseStaging(op);
    }
    for (int slot = 0; slot < stagedReads.length; slot++) {
      if (stagedReads[slot] == client) {
        Marks.hit(PagerMark.SERVER_TAKES_BACK_STAGING);
        stagedReads[slot] = null;
        stagingFree.add(slot);
        rdmaOutstanding--;
      }
    }
    client.waiting.clear();
    startStaged();
  }
}
