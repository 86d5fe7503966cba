package dev.weft.dsm.net;

import dev.weft.dsm.release.ReleasePort;
import dev.weft.dsm.wire.DsmMessage;
import dev.weft.dsm.wire.MessageCodec;
import dev.weft.hca.messaging.ChannelSettings;
import dev.weft.hca.messaging.MessageChannel;
import dev.weft.hca.messaging.MessageEndpoint;
import dev.weft.hca.messaging.MessageHandler;
import dev.weft.hca.messaging.QueuePairChannel;
import dev.weft.hca.verbs.MemoryRegion;
import dev.weft.hca.verbs.WcStatus;
import dev.weft.hca.verbs.WorkRequest;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.function.IntPredicate;
import java.util.function.Predicate;

/**
 * The other nodes: messages by Send, minipages by RDMA, in order on one queue pair for each node. All connections share one completion queue and one
 * handler. There are as many receive buffers as messages can be in flight, so there is no flow control (Kernel DSM, section 3.1).
 *
 * <p>Bound: messages that cannot be posted wait in a peer's backlog, which holds no more than the operations of all threads and homes with this peer,
 * and hints.
 */
public final class Peers implements ReleasePort, Transfers, MessageHandler {
  /** Receives the events of connections. */
  public interface Receiver {
    void onMessage(int from, DsmMessage message);

    void onFetched(int minipage, int op, int from);

    /** A step of a fault is complete. */
    void onStep(int index);

    /** The connection has failed. */
    void onFailed(Peer peer, String why);
  }

  /** The places of minipages in the frames. */
  public interface Layout {
    /** Offset in bytes. */
    long offsetOf(int minipage);

    /** Size in bytes; 0 if the minipage does not exist any more. */
    long bytesOf(int minipage);
  }

  private record Reading(int minipage, int op, Peer from) {}

  public static final int NODES_MAX = 64;
  /** Limit of messages that wait for a connection; above it, hints are dropped. */
  static final int BACKLOG_MAX = 1024;
  private static final long TRANSFER_BYTES = 1 << 20;

  private final int buffersMax;
  private final MemoryRegion frames;
  private final Layout layout;
  private final Receiver receiver;
  private final Peer[] peers = new Peer[NODES_MAX];
  /** Messages to this node itself. */
  private final ArrayDeque<DsmMessage> local = new ArrayDeque<>();
  private final ArrayDeque<Reading> reading = new ArrayDeque<>();
  private final WorkRequest request = new WorkRequest();
  private MessageEndpoint endpoint;
  private int self = -1;
  private long sent;
  private long received;
  private long refused;
  private long bytesWritten;
  private long bytesRead;

  public Peers(int buffersMax, MemoryRegion frames, Layout layout, Receiver receiver) {
    this.buffersMax = buffersMax;
    this.frames = frames;
    this.layout = layout;
    this.receiver = receiver;
  }

  public ChannelSettings channelSettings() {
    return new ChannelSettings(MessageCodec.BYTES_MAX, buffersMax, buffersMax, buffersMax);
  }

  public void use(MessageEndpoint messages) {
    endpoint = messages;
  }

  /** Sets this node's number. */
  public void is(int node) {
    self = node;
  }

  /** Opens a channel to a node that is being connected. */
  public Peer add(int id, String name) {
    QueuePairChannel channel = openChannel();
    Peer peer = new Peer(id, name, channel);
    channel.attach(peer);
    peers[id] = peer;
    return peer;
  }

  /** Opens a channel that belongs to no node yet. */
  public QueuePairChannel openChannel() {
    return endpoint.open(channelSettings());
  }

  /** The node that was asked for a number has answered with its own. */
  public void renumber(Peer peer, int id) {
    peers[peer.id] = null;
    peer.id = id;
    peers[id] = peer;
  }

  /** Null if there is none. */
  public Peer get(int id) {
    return id >= 0 && id < NODES_MAX ? peers[id] : null;
  }

  /**
   * Bits of the {@code members} that have one of these names. All members if {@code names} is empty; this node if none of the named nodes is present.
   *
   * @param own name of this node
   */
  public long named(List<String> names, long members, String own) {
    if (names.isEmpty()) {
      return members;
    }
    long found = names.contains(own) ? 1L << self : 0;
    for (Peer peer : all()) {
      found |= names.contains(peer.name) ? 1L << peer.id : 0;
    }
    return (found & members) == 0 ? 1L << self : found & members;
  }

  public Iterable<Peer> all() {
    return () -> Arrays.stream(peers).filter(peer -> peer != null).iterator();
  }

  /** The connection is ready for messages. */
  public void ready(Peer peer) {
    peer.isReady = true;
    flush(peer);
  }

  public void lose(Peer peer) {
    if (!peer.isLost) {
      peer.isLost = true;
      peer.isReady = false;
      peer.backlog.clear();
      peer.early.clear();
      reading.removeIf(read -> read.from == peer);
      if (peer.connection != null) {
        peer.connection.disconnect();
      }
      peer.channel.close();
    }
  }

  @Override
  public void send(int node, DsmMessage message) {
    if (node == self) {
      local.add(message);
    } else {
      post(node, new Peer.Message(message));
    }
  }

  /** Sends a message that is dropped if many already wait. */
  public void hint(int node, DsmMessage message) {
    Peer peer = get(node);
    if (peer == null || peer.backlog.size() < BACKLOG_MAX) {
      send(node, message);
    }
  }

  @Override
  public void write(int minipage, int node) {
    post(node, new Peer.Move(minipage, 0, false));
  }

  @Override
  public void read(int minipage, int op, int node) {
    post(node, new Peer.Move(minipage, op, true));
  }

  @Override
  public void write(long offset, int bytes, int node) {
    post(node, new Peer.Move(offset, bytes));
  }

  /** Posts a step of a fault; {@link Receiver#onStep} follows, unless that node is lost. */
  public void post(int node, DirectOp op) {
    post(node, new Peer.Step(op));
  }

  private void post(int node, Peer.Outgoing outgoing) {
    Peer peer = get(node);
    if (peer != null && !peer.isLost && (!peer.backlog.isEmpty() || !peer.isReady || !tryPost(peer, outgoing))) {
      peer.backlog.add(outgoing);
    }
  }

  private void flush(Peer peer) {
    while (!peer.backlog.isEmpty() && !peer.isLost && tryPost(peer, peer.backlog.peek())) {
      peer.backlog.poll();
    }
  }

  private boolean tryPost(Peer peer, Peer.Outgoing outgoing) {
    return switch (outgoing) {
      case Peer.Message message -> trySend(peer, message.message());
      case Peer.Move move -> tryMove(peer, move);
      case Peer.Step step -> tryStep(peer, step);
    };
  }

  private boolean trySend(Peer peer, DsmMessage message) {
    int slot = peer.channel.reserve();
    if (slot == MessageChannel.NO_BUFFER) {
      return !peer.channel.isOpen(); // The failure is reported; messages for it are dropped.
    }
    int at = Math.toIntExact(peer.channel.offset(slot));
    MessageCodec.encode(message, peer.buffers.clear().position(at));
    sent++;
    peer.channel.send(slot, peer.buffers.position() - at, true);
    return true;
  }

  private boolean tryMove(Peer peer, Peer.Move move) {
    if (move.done == 0 && move.minipage >= 0) {
      move.offset = layout.offsetOf(move.minipage);
      move.bytes = layout.bytesOf(move.minipage);
    }
    long offset = move.offset;
    long bytes = move.bytes; // 0 if the minipage was freed meanwhile.
    while (move.done < bytes) {
      int part = (int) Math.min(TRANSFER_BYTES, bytes - move.done);
      long there = peer.frames + offset + move.done;
      WorkRequest wr = (move.isRead ? request.read(there, peer.rkey) : request.write(there, peer.rkey)).sge(frames, offset + move.done, part);
      boolean isLast = move.done + part == bytes;
      if (!peer.channel.transfer(wr, move.isRead && isLast, move.minipage)) {
        return !peer.channel.isOpen(); // Otherwise retried when there is room.
      }
      move.done += part;
    }
    if (bytes > 0 && move.isRead) {
      reading.add(new Reading(move.minipage, move.op, peer));
      bytesRead += bytes;
    } else {
      bytesWritten += bytes;
    }
    return true;
  }

  private boolean tryStep(Peer peer, Peer.Step step) {
    DirectOp op = step.op;
    for (; step.done < op.parts; step.done++) {
      boolean isLast = step.done + 1 == op.parts;
      if (!peer.channel.transfer(op.filler.fill(op, step.done, peer, request), isLast, -1L - op.index)) {
        return !peer.channel.isOpen();
      }
    }
    bytesRead += op.bytes;
    return true;
  }

  /** Whether this node reads one of these minipages by RDMA, or is about to. */
  public boolean isReading(IntPredicate among) {
    return reading.stream().anyMatch(read -> among.test(read.minipage))
        || Arrays.stream(peers).anyMatch(peer -> peer != null && peer.backlog.stream().anyMatch(each -> each.isToRead(among)));
  }

  /** Drops messages of this node to itself that are not handled yet. */
  public void dropLocal(Predicate<DsmMessage> which) {
    local.removeIf(which);
  }

  /** The next message of this node to itself; null if there is none. */
  public DsmMessage nextLocal() {
    return local.poll();
  }

  @Override
  public void onMessage(MessageChannel channel, MemorySegment buffer, long offset, int length) {
    Peer peer = (Peer) channel.attachment();
    DsmMessage message;
    try {
      message = MessageCodec.decode(buffer.asSlice(offset, length).asByteBuffer());
    } catch (IllegalArgumentException malformed) {
      refused();
      receiver.onFailed(peer, "it sent what is no message: " + malformed.getMessage());
      return;
    }
    received++;
    if (peer.isReady) {
      receiver.onMessage(peer.id, message);
    } else if (!peer.isLost) {
      peer.early.add(message);
    }
  }

  /**
   * This side now knows which node the peer is. Messages on its queue pair may have overtaken the connection managers, which use another path. They
   * are handled now, as if they came later.
   */
  public void hearEarly(Peer peer) {
    for (DsmMessage next = peer.early.poll(); next != null; next = peer.early.poll()) {
      receiver.onMessage(peer.id, next);
    }
  }

  @Override
  public void onCompleted(MessageChannel channel, long token, WcStatus status) {
    if (token < 0) {
      if (status == WcStatus.SUCCESS) {
        receiver.onStep((int) (-1 - token));
      }
      return; // Otherwise the channel has failed, which is reported.
    }
    if (status == WcStatus.SUCCESS) {
      for (Iterator<Reading> each = reading.iterator(); each.hasNext();) {
        Reading read = each.next();
        if (read.minipage == token && read.from == channel.attachment()) {
          each.remove();
          receiver.onFetched(read.minipage, read.op, read.from.id);
          return;
        }
      }
    }
  }

  @Override
  public void onSendRoom(MessageChannel channel) {
    flush((Peer) channel.attachment());
  }

  @Override
  public void onFailed(MessageChannel channel, WcStatus status, int vendorErr) {
    receiver.onFailed((Peer) channel.attachment(), "its connection failed: " + status);
  }

  public long sent() {
    return sent;
  }

  public long received() {
    return received;
  }

  /** Counts an illegal message, whose sender is taken for lost. */
  public void refused() {
    refused++;
  }

  public long messagesRefused() {
    return refused;
  }

  public long bytesWritten() {
    return bytesWritten;
  }

  public long bytesRead() {
    return bytesRead;
  }
}
