package dev.weft.hca.messaging;

import dev.weft.hca.verbs.Access;
import dev.weft.hca.verbs.Hca;
import dev.weft.hca.verbs.MemoryRegion;
import dev.weft.hca.verbs.ProtectionDomain;
import dev.weft.hca.verbs.QpInitAttr;
import dev.weft.hca.verbs.QueuePair;
import dev.weft.hca.verbs.ReceiveRequest;
import dev.weft.hca.verbs.VerbsException;
import dev.weft.hca.verbs.WcStatus;
import dev.weft.hca.verbs.WorkRequest;
import dev.weft.hca.verbs.WriteWatches;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;

/**
 * One connection of a {@link MessageEndpoint} over a queue pair. {@link #transfer} posts RDMA requests in order with the messages. If the peer has a
 * mailbox, the channel writes the messages there by RDMA instead of sending them. Used on the endpoint's thread only.
 */
public final class QueuePairChannel implements MessageChannel {
  static final long RECEIVE_BIT = 1L << 63;
  private static final int ALIGNMENT_BYTES = 64;

  private final MessageEndpoint endpoint;
  private final ChannelSettings settings;
  private final Hca hca;
  private final QueuePair qp;
  private final MemoryRegion mr;
  private final MemorySegment memory;
  private final int strideBytes;
  private final int receiveStrideBytes;
  private final SendRing ring;
  private final SendRing.Retired retired;
  /** The mailbox into which the peer writes its messages; null if it sends them. */
  private final Mailbox mailbox;
  /** The peer's mailbox; none if the channel sends its messages. */
  private MailboxAddress peer = MailboxAddress.NONE;
  /** The number of the last message written to the peer. */
  private int written;
  private int peerSlot;
  private final WorkRequest sendRequest = new WorkRequest();
  private final ReceiveRequest receiveRequest = new ReceiveRequest();
  private Object attachment;
  private boolean wantsRoom;
  private int noticesWanted;
  private boolean failed;
  private boolean closed;
  private long sent;
  private long received;
  private long signaled;

  QueuePairChannel(MessageEndpoint endpoint, Hca hca, ProtectionDomain pd, ChannelSettings settings, WriteWatches watches) {
    this.endpoint = endpoint;
    this.hca = hca;
    this.settings = settings;
    this.ring = new SendRing(settings.sendBuffers(), settings.sendDepth());
    this.strideBytes = Mailbox.strideBytes(settings.messageBytes());
    this.receiveStrideBytes = Mailbox.strideBytes(settings.receiveBytes());
    boolean receives = watches == null;
    long bytes = (long) strideBytes * settings.sendBuffers() + (receives ? (long) receiveStrideBytes * settings.receiveBuffers() : 0);
    this.memory = settings.shared() ? hca.allocMemory(Arena.ofAuto(), bytes) : Arena.ofAuto().allocate(bytes, ALIGNMENT_BYTES);
    this.mr = hca.regMr(pd, memory, Access.LOCAL_WRITE);
    this.qp = createQp(pd, receives ? settings.receiveBuffers() : 1);
    this.retired = this::onRetired;
    this.mailbox = receives ? null : openMailbox(pd, watches);
  }

  private QueuePair createQp(ProtectionDomain pd, int maxReceives) {
    try {
      return hca.createQp(pd, new QpInitAttr(endpoint.cq(), endpoint.cq(), settings.sendDepth(), maxReceives, 4, 1, 0, false));
    } catch (RuntimeException refused) {
      hca.deregMr(mr);
      throw refused;
    }
  }

  private Mailbox openMailbox(ProtectionDomain pd, WriteWatches watches) {
    try {
      return new Mailbox(this, hca, pd, settings, watches, () -> endpoint.written(mailbox()));
    } catch (RuntimeException refused) {
      hca.destroyQp(qp);
      hca.deregMr(mr);
      throw refused;
    }
  }

  private Mailbox mailbox() {
    return mailbox;
  }

  /** The address into which the peer must write its messages, for its {@link #writeTo}; none if the peer must send them. */
  public MailboxAddress mailboxAddress() {
    return mailbox == null ? MailboxAddress.NONE : mailbox.address();
  }

  /** Sets the peer's {@link #mailboxAddress}; call it before the first message. */
  public void writeTo(MailboxAddress mailboxOfPeer) {
    if (!mailboxOfPeer.isNone() && !mailboxOfPeer.holds(1, settings.messageBytes())) {
      throw new IllegalArgumentException(mailboxOfPeer + " is too small for messages of " + settings.messageBytes() + " bytes");
    }
    peer = mailboxOfPeer;
  }

  /** The queue pair to connect or accept with. */
  public QueuePair qp() {
    return qp;
  }

  public ChannelSettings settings() {
    return settings;
  }

  @Override
  public int messageBytes() {
    return settings.messageBytes();
  }

  @Override
  public boolean hasRdma() {
    return true;
  }

  @Override
  public Object attachment() {
    return attachment;
  }

  @Override
  public void attach(Object value) {
    attachment = value;
  }

  /** Makes the channel ready to receive. Call it once, after connect or accept has taken the queue pair to INIT. */
  public void postReceives() {
    if (mailbox != null) {
      qp.postReceive(receiveRequest.receive(RECEIVE_BIT)); // No message uses it; its flush reports a failure of the queue pair.
      mailbox.arm();
      return;
    }
    for (int slot = 0; slot < settings.receiveBuffers(); slot++) {
      postReceive(slot);
    }
  }

  private void postReceive(int slot) {
    try {
      qp.postReceive(receiveRequest.receive(RECEIVE_BIT | slot).sge(mr, receiveOffset(slot), settings.receiveBytes()));
    } catch (VerbsException refused) {
      passUnlessClosed(refused);
    }
  }

  private long receiveOffset(int slot) {
    return (long) strideBytes * settings.sendBuffers() + (long) receiveStrideBytes * slot;
  }

  @Override
  public int reserve() {
    int slot = ring.reserve();
    if (slot == NO_BUFFER) {
      askForRoom();
    }
    return slot;
  }

  private void askForRoom() {
    if (!wantsRoom && !failed) {
      wantsRoom = true;
      endpoint.completionWanted();
    }
  }

  @Override
  public MemorySegment buffers() {
    return memory;
  }

  @Override
  public long offset(int slot) {
    return (long) strideBytes * slot;
  }

  @Override
  public void cancel(int slot) {
    ring.cancel(slot);
  }

  @Override
  public boolean send(int slot, int length, boolean solicited) {
    return send(slot, length, solicited, false, 0);
  }

  /**
   * Like {@link #send(int, int, boolean)}, but {@code dataBytes} bytes of {@code data} from {@code dataOffset} follow in the same message. They
   * are not copied: they must not change until the peer is known to have the message, for example because it has replied, or until the
   * queue pair is destroyed. Not for a peer with a mailbox.
   */
  public boolean sendWith(int slot, int length, MemoryRegion data, long dataOffset, int dataBytes, boolean solicited) {
    if (!peer.isNone()) {
      ring.cancel(slot);
      throw new IllegalStateException("a message to a mailbox cannot carry data from outside its send buffer");
    }
    checkLength(length);
    if (!mayPost()) {
      ring.cancel(slot);
      return false;
    }
    postMessage(slot, sendRequest.send().sge(mr, offset(slot), length).sge(data, dataOffset, dataBytes), solicited, false, 0);
    return true;
  }

  @Override
  public boolean writeWith(int slot, int length, Consumer<WorkRequest> data, long remoteAddress, int remoteKey, int immediate, boolean wantsNotice,
      long token) {
    checkLength(length);
    if (!mayPost()) {
      ring.cancel(slot);
      return false;
    }
    WorkRequest request = sendRequest.writeWithImm(remoteAddress, remoteKey, immediate).sge(mr, offset(slot), length);
    data.accept(request);
    post(request.solicited().wrId(ring.addSend(slot, wantsNotice, token)), wantsNotice);
    sent++;
    return true;
  }

  @Override
  public boolean sendNotified(int slot, int length, boolean solicited, long token) {
    return send(slot, length, solicited, true, token);
  }

  private boolean send(int slot, int length, boolean solicited, boolean wantsNotice, long token) {
    checkLength(length);
    if (!mayPost()) {
      ring.cancel(slot);
      return false;
    }
    WorkRequest request = peer.isNone() ? sendRequest.send().sge(mr, offset(slot), length) : write(slot, length);
    postMessage(slot, request, solicited, wantsNotice, token);
    return true;
  }

  private void checkLength(int length) {
    if (length < 0 || length > settings.messageBytes()) {
      throw new IllegalArgumentException("the message has " + length + " bytes, must have from 0 to " + settings.messageBytes());
    }
  }

  private void postMessage(int slot, WorkRequest request, boolean solicited, boolean wantsNotice, long token) {
    request.wrId(ring.addSend(slot, wantsNotice, token));
    if (solicited && peer.isNone()) {
      request.solicited();
    }
    post(request, wantsNotice);
    sent++;
  }

  /** Returns a request that writes the message, its length and its number to the end of the peer's next slot. */
  private WorkRequest write(int slot, int length) {
    int trailed = length + MailboxAddress.TRAILER_BYTES;
    long end = peer.address() + (long) (peerSlot + 1) * peer.slotBytes();
    peerSlot = peerSlot + 1 == peer.slots() ? 0 : peerSlot + 1;
    memory.set(Mailbox.INT, offset(slot) + length, length);
    memory.set(Mailbox.INT, offset(slot) + length + 4, ++written);
    return sendRequest.write(end - trailed, peer.rkey()).sge(mr, offset(slot), trailed);
  }

  @Override
  public boolean transfer(WorkRequest request, boolean wantsNotice, long token) {
    if (!mayPost()) {
      return false;
    }
    if (ring.room() <= 0) {
      askForRoom();
      return false;
    }
    post(request.wrId(ring.addTransfer(wantsNotice, token)), wantsNotice);
    return true;
  }

  private void post(WorkRequest request, boolean wantsNotice) {
    if (ring.signal(wantsNotice)) {
      request.signaled();
      signaled++;
    }
    try {
      qp.postSend(request);
    } catch (VerbsException refused) {
      passUnlessClosed(refused);
    }
    if (wantsNotice) {
      noticesWanted++;
      endpoint.completionWanted();
    }
  }

  /** Ignores the error if the HCA has been closed. The flush of earlier requests then fails this channel. */
  private void passUnlessClosed(VerbsException refused) {
    if (refused.errno() != VerbsException.Errno.ENODEV || !hca.isClosed()) {
      throw refused;
    }
  }

  /** Whether requests may be posted. Checks the HCA, because the completions that report its closing may not have been handled yet. */
  private boolean mayPost() {
    return isOpen() && !hca.isClosed();
  }

  @Override
  public int transferRoom() {
    return ring.room();
  }

  @Override
  public long completed() {
    return ring.retired();
  }

  @Override
  public boolean isOpen() {
    return !failed && !closed;
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      endpoint.forget(this);
      hca.destroyQp(qp);
      hca.deregMr(mr);
      if (mailbox != null) {
        mailbox.close();
      }
    }
  }

  public ChannelStats stats() {
    return new ChannelStats(sent, received, signaled, ring.freeBuffers(), ring.reservedBuffers(), ring.posted());
  }

  /** The number of completions that this channel has requested from the endpoint but not yet received. */
  int completionsWanted() {
    return noticesWanted + (wantsRoom ? 1 : 0);
  }

  /** Handles a message. Returns false if the handler cannot finish without blocking; then the message stays in its buffer. */
  boolean onReceive(int slot, int length, boolean mayBlock) {
    if (mailbox != null) {
      onError(WcStatus.LOC_QP_OP_ERR, 0); // The peer should have written the message.
      return true;
    }
    if (mayBlock) {
      endpoint.handler().onMessage(this, memory, receiveOffset(slot), length);
    } else if (!endpoint.handler().tryMessage(this, memory, receiveOffset(slot), length)) {
      return false;
    }
    received++;
    if (mayPost()) {
      postReceive(slot);
    }
    return true;
  }

  /** Handles an RDMA Write with immediate of the peer. */
  void onImmediate(int slot, int immediate, int length) {
    if (mailbox != null || !endpoint.handler().onImmediate(this, immediate, length)) {
      onError(WcStatus.LOC_QP_OP_ERR, 0);
      return;
    }
    received++;
    if (mayPost()) {
      postReceive(slot);
    }
  }

  /** Handles the next message in the mailbox. */
  void onWritten(Mailbox from) {
    int length = from.length();
    if (length == Mailbox.MALFORMED || length > settings.messageBytes()) {
      onError(WcStatus.LOC_LEN_ERR, 0);
      return;
    }
    endpoint.handler().onMessage(this, from.memory(), from.offset(length), length);
    received++;
    from.advance();
  }

  void onSendCompletion(long sequence, WcStatus status) {
    ring.retire(sequence, status, retired);
    if (wantsRoom && !closed && (ring.freeBuffers() > 0 && ring.room() > 0)) {
      wantsRoom = false;
      endpoint.completionGot();
      endpoint.handler().onSendRoom(this);
    }
  }

  private void onRetired(long token, WcStatus status) {
    if (!closed) {
      noticesWanted--;
      endpoint.completionGot();
      endpoint.handler().onCompleted(this, token, status);
    }
  }

  void onError(WcStatus status, int vendorErr) {
    if (!failed && !closed) {
      failed = true;
      endpoint.handler().onFailed(this, status, vendorErr);
    }
  }
}
