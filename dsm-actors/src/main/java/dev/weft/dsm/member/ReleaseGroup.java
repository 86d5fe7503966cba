package dev.weft.dsm.member;

import akka.actor.typed.ActorRef;
import dev.weft.dsm.net.Peer;
import dev.weft.dsm.net.Peers;
import dev.weft.dsm.objects.DsmParts;
import dev.weft.dsm.objects.NodeCommand;
import dev.weft.dsm.release.GroupPort;
import dev.weft.dsm.release.Multicast;
import dev.weft.dsm.release.MulticastSettings;
import dev.weft.dsm.release.Part;
import dev.weft.dsm.wire.DsmMessage;
import dev.weft.fabric.packet.Packet;
import dev.weft.fabric.packet.RoceV2;
import dev.weft.hca.verbs.Access;
import dev.weft.hca.verbs.AddressHandle;
import dev.weft.hca.verbs.CompletionQueue;
import dev.weft.hca.verbs.Hca;
import dev.weft.hca.verbs.MemoryRegion;
import dev.weft.hca.verbs.QpAttr;
import dev.weft.hca.verbs.QpInitAttr;
import dev.weft.hca.verbs.QpState;
import dev.weft.hca.verbs.QpType;
import dev.weft.hca.verbs.QueuePair;
import dev.weft.hca.verbs.ReceiveRequest;
import dev.weft.hca.verbs.VerbsException;
import dev.weft.hca.verbs.WorkCompletion;
import dev.weft.hca.verbs.WorkRequest;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The multicast group of a shared memory: a queue pair for datagrams, and buffers. A node is a member from its first array with release consistency
 * on. Without a group, all updates go on the connections. Used in the receive context.
 *
 * <p>Bound: {@code weft.dsm.release.multicast.buffers} incoming datagrams, and as many outgoing ones. Further datagrams are lost, which their senders
 * notice.
 */
public final class ReleaseGroup implements GroupPort {
  private static final Logger LOG = LoggerFactory.getLogger(ReleaseGroup.class);
  private static final int QKEY = 0x57454654;
  private static final int HEADER_BYTES = RoceV2.GRH_LENGTH;

  /** This node's membership in the group; the fabric changes it on another thread. */
  private enum Membership {
    NONE,
    JOINED,
    OVER
  }

  private final DsmParts parts;
  private final Peers peers;
  private final DsmMember member;
  private final MulticastSettings settings;
  private final int bufferBytes;
  private final WorkRequest request = new WorkRequest();
  private final ReceiveRequest receive = new ReceiveRequest();
  private final WorkCompletion[] ofSent = completions();
  private final WorkCompletion[] ofReceived = completions();
  private final AtomicReference<Membership> membership = new AtomicReference<>(Membership.NONE);
  private ActorRef<NodeCommand> owner;
  private MemorySegment buffers;
  private MemoryRegion region;
  private CompletionQueue sent;
  private CompletionQueue received;
  private QueuePair qp;
  private AddressHandle handle;
  /** LID of the group; 0 until this node has joined, and after it gave up. */
  private int lid;
  private int attachedTo;
  private boolean isStarted;
  private boolean isDraining;
  private int[] freeBuffers;
  private int freeCount;
  private String state = "not used";

  ReleaseGroup(DsmParts parts, Peers peers, DsmMember member) {
    this.parts = parts;
    this.peers = peers;
    this.member = member;
    settings = parts.settings().multicast();
    bufferBytes = HEADER_BYTES + Part.HEADER_BYTES + Multicast.slotBytes(parts.settings().memoryBytes()) + 63 & -64;
  }

  /** Sets the actor that owns the group. */
  public void use(ActorRef<NodeCommand> actor) {
    owner = actor;
  }

  private String name() {
    return "dsm/" + parts.space();
  }

  @Override
  public void start() {
    if (isStarted || !settings.isEnabled()) {
      return;
    }
    isStarted = true;
    state = "joining";
    parts.node().joinMulticast(name(), false).whenComplete((groupLid, refused) -> {
      if (refused == null && !membership.compareAndSet(Membership.NONE, Membership.JOINED)) {
        parts.node().leaveMulticast(name(), false); // No longer wanted.
      } else {
        owner.tell(new NodeCommand.GroupJoined(groupLid == null ? 0 : groupLid, refused == null ? null : refused.getMessage()));
      }
    });
  }

  /** Handles the result of joining. */
  public void onJoined(int groupLid, String refusal) {
    if (refusal != null) {
      giveUp(refusal);
      return;
    }
    try {
      open(groupLid);
    } catch (RuntimeException refused) { // A resource is exhausted, or the HCA was closed.
      close();
      giveUp(refused.getMessage());
      return;
    }
    lid = groupLid;
    state = "group " + groupLid;
    onNotice();
    peers.all().forEach(this::tell);
  }

  private void giveUp(String why) {
    lid = 0;
    state = "refused: " + why;
    LOG.warn("node {} has no multicast for shared memory {}, updates go to each copy on its connection: {}", parts.node().name(), parts.space(), why);
  }

  /** Notifies a newly connected node. */
  void tell(Peer peer) {
    if (lid != 0 && peer.isReady) {
      peers.send(peer.id, new DsmMessage.Listens());
    }
  }

  private void open(int groupLid) {
    Hca hca = parts.node().hca();
    int count = settings.buffers();
    buffers = hca.allocMemory(Arena.ofAuto(), 2L * count * bufferBytes);
    region = hca.regMr(parts.pd(), buffers, Access.LOCAL_WRITE);
    sent = hca.createCq(count);
    received = hca.createCq(count, owner, NodeCommand.Notice.DATAGRAMS);
    qp = hca.createQp(parts.pd(), new QpInitAttr(sent, received, count, count, 1, 1, 0, true).withType(QpType.UD));
    qp.modify(QpAttr.initUd(QKEY));
    for (int i = 0; i < count; i++) {
      post(i);
    }
    qp.modify(QpAttr.rtrUd());
    qp.modify(QpAttr.rtsUnreliable(0));
    handle = hca.createAh(parts.pd(), groupLid, 0);
    hca.attachMulticast(qp, groupLid);
    attachedTo = groupLid;
    freeBuffers = new int[count];
    for (freeCount = 0; freeCount < count; freeCount++) {
      freeBuffers[freeCount] = count + freeCount;
    }
  }

  private static WorkCompletion[] completions() {
    WorkCompletion[] some = new WorkCompletion[32];
    for (int i = 0; i < some.length; i++) {
      some[i] = new WorkCompletion();
    }
    return some;
  }

  private void post(int buffer) {
    qp.postReceive(receive.receive(buffer).sge(region, (long) buffer * bufferBytes, bufferBytes));
  }

  // Sending.

  @Override
  public int datagramBytes() {
    return lid == 0 ? 0 : Math.min(parts.node().hca().datagramMaxBytes(lid), bufferBytes - HEADER_BYTES);
  }

  @Override
  public void send(Part part, long offset) {
    reap();
    if (freeCount == 0) {
      return; // Treated as lost.
    }
    int buffer = freeBuffers[--freeCount];
    long at = (long) buffer * bufferBytes;
    part.withKey(parts.region().rkey()).encode(buffers, at);
    MemorySegment.copy(parts.frames(), offset, buffers, at + Part.HEADER_BYTES, part.length());
    int bytes = Part.HEADER_BYTES + part.length();
    unlessClosed(() -> qp.postSend(request.send().sge(region, at, bytes).to(handle, Packet.MULTICAST_QP, QKEY).wrId(buffer).signaled()));
  }

  /** Ignores that the HCA was closed; its node will be notified of that. */
  private static void unlessClosed(Runnable verb) {
    try {
      verb.run();
    } catch (VerbsException refused) {
      if (refused.errno() != VerbsException.Errno.ENODEV) {
        throw refused;
      }
    }
  }

  private void reap() {
    for (int count = sent.poll(ofSent); count > 0; count = sent.poll(ofSent)) {
      for (int i = 0; i < count; i++) {
        freeBuffers[freeCount++] = (int) ofSent[i].wrId();
      }
    }
    if (qp.state() == QpState.SQE) { // A datagram was longer than a new JVM can receive.
      unlessClosed(() -> qp.modify(new QpAttr().state(QpState.RTS)));
    }
  }

  // Incoming datagrams.

  /** The completion queue has notified. */
  public void onNotice() {
    if (lid != 0) {
      drain();
      unlessClosed(() -> {
        while (received.arm(false) == CompletionQueue.Armed.COMPLETIONS_WAITING) {
          drain();
        }
      });
    }
  }

  @Override
  public void drain() {
    if (lid == 0 || isDraining) {
      return;
    }
    isDraining = true;
    try {
      for (int count = received.poll(ofReceived); count > 0; count = received.poll(ofReceived)) {
        for (int i = 0; i < count; i++) {
          onReceived(ofReceived[i]);
        }
      }
    } finally {
      isDraining = false;
    }
  }

  private void onReceived(WorkCompletion completion) {
    int buffer = (int) completion.wrId();
    long at = (long) buffer * bufferBytes + HEADER_BYTES;
    if (!completion.isSuccess()) {
      return;
    }
    Part part = Part.decode(buffers, at, completion.byteLen() - HEADER_BYTES);
    Peer peer = part == null ? null : peers.get(part.sender());
    if (peer != null && !peer.isLost && peer.rkey == part.key()) {
      try {
        member.release().multicast().onPart(part, buffers, at + Part.HEADER_BYTES);
      } catch (RuntimeException cannotBe) {
        member.onFailed(peer, "it sent " + part + " to the group: " + cannotBe);
      }
    }
    unlessClosed(() -> post(buffer));
  }

  /** State for inspection. */
  public String state() {
    return state;
  }

  // The end.

  public void close() {
    if (membership.getAndSet(Membership.OVER) == Membership.JOINED) {
      lid = 0;
      parts.node().leaveMulticast(name(), false);
      giveBack();
    }
  }

  private void giveBack() {
    Hca hca = parts.node().hca();
    if (attachedTo != 0) {
      hca.detachMulticast(qp, attachedTo);
    }
    if (qp != null) {
      hca.destroyQp(qp);
    }
    if (handle != null) {
      hca.destroyAh(handle);
    }
    if (received != null) {
      hca.destroyCq(received);
    }
    if (sent != null) {
      hca.destroyCq(sent);
    }
    if (region != null) {
      hca.deregMr(region);
    }
  }
}
