package dev.weft.pager;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.weft.hca.cm.Connection;
import dev.weft.hca.cm.ConnectionObserver;
import dev.weft.hca.cm.ConnectionOptions;
import dev.weft.hca.cm.ConnectionRequest;
import dev.weft.hca.cm.RejectReason;
import dev.weft.hca.messaging.ChannelSettings;
import dev.weft.hca.messaging.MailboxAddress;
import dev.weft.hca.messaging.MessageChannel;
import dev.weft.hca.messaging.MessageEndpoint;
import dev.weft.hca.messaging.MessageHandler;
import dev.weft.hca.messaging.QueuePairChannel;
import dev.weft.hca.node.Node;
import dev.weft.hca.node.VirtualFabric;
import dev.weft.hca.verbs.Access;
import dev.weft.hca.verbs.MemoryRegion;
import dev.weft.hca.verbs.ProtectionDomain;
import dev.weft.hca.verbs.ReceiveContext;
import dev.weft.hca.verbs.WcStatus;
import dev.weft.hca.verbs.WorkRequest;
import dev.weft.pager.wire.Handshake;
import dev.weft.pager.wire.PagerReply;
import dev.weft.pager.wire.PagerRequest;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;

/**
 * The other side of a pager's connection, which does what a test tells it to and nothing else, over real queue pairs in virtual time: a
 * client or a memory server. What it hears is a list of lines, in its order. Memory of 64 KiB is registered for the server's RDMA.
 */
public final class ScriptedPeer implements MessageHandler, ConnectionObserver {
  private static final ChannelSettings CHANNEL = new ChannelSettings(256, 64, 64, 8);
  private static final int CONNECTIONS_MAX = 8;
  private static final int MEMORY = 65_536;
  /** Long enough for all that follows from one message, and for no time-out. */
  private static final long WHILE_NS = 1_000_000;

  public final Node node;
  public final MemorySegment memory = Arena.ofAuto().allocate(MEMORY, 4096);
  public final MemoryRegion mr;
  /** Of the connection that was made last. */
  public Connection connection;
  public Handshake.Grant grant;
  public QueuePairChannel channel;
  /** Oldest first. */
  public final List<PagerRequest> requests = new ArrayList<>();
  /** Asked for a connection and not answered, oldest first. */
  public final List<ConnectionRequest> wishes = new ArrayList<>();
  /** Done when a reply is heard, before anything else happens. */
  public Runnable onReply = () -> {};
  private final VirtualFabric fabric;
  private final MessageEndpoint endpoint;
  private final List<String> heard = new ArrayList<>();

  public ScriptedPeer(VirtualFabric fabric, String name) {
    this.fabric = fabric;
    node = fabric.addNode(name);
    ProtectionDomain pd = node.hca().allocPd();
    mr = node.hca().regMr(pd, memory, Access.ALL);
    endpoint = new MessageEndpoint(node.hca(), pd, CONNECTIONS_MAX * CHANNEL.cqEntries(), ReceiveContext.ISR, false, this,
        () -> endpoint().service(1000));
    endpoint.arm();
  }

  private MessageEndpoint endpoint() {
    return endpoint;
  }

  /** All that it has heard since this was asked last, after all that was told has had its effect. */
  public void hears(String... expected) {
    assertEquals(List.of(expected), heard(), node.name());
  }

  public List<String> heard() {
    pass(WHILE_NS);
    List<String> all = List.copyOf(heard);
    heard.clear();
    return all;
  }

  public void pass(long ns) {
    fabric.system().runFor(ns);
  }

  public void fill(int at, int length, int value) {
    memory.asSlice(at, length).fill((byte) value);
  }

  /** The value that all these bytes have, or -1. */
  public int value(int at, int length) {
    byte first = memory.get(ValueLayout.JAVA_BYTE, at);
    for (int i = 1; i < length; i++) {
      if (memory.get(ValueLayout.JAVA_BYTE, at + i) != first) {
        return -1;
      }
    }
    return first;
  }

  // ---- as a client

  /** Asks a memory server for an area; on a new queue pair. */
  public void connect(String server, byte[] wish) {
    channel = endpoint.open(CHANNEL);
    ConnectionOptions options = ConnectionOptions.DEFAULT.withAccessFlags(Access.REMOTE_READ | Access.REMOTE_WRITE);
    node.cm().connect(server, "pager", channel.qp(), options, wish, this);
    channel.postReceives();
  }

  /** Sends a request, and behind it data from the start of the memory here, cut or filled up to {@code size} bytes. */
  public void send(PagerRequest request, int size) {
    int slot = channel.reserve();
    request.rkey = mr.rkey();
    int head = request.encode(channel.buffers(), channel.offset(slot));
    MemorySegment.copy(memory, 0, channel.buffers(), channel.offset(slot) + head, Math.max(0, size - head));
    channel.send(slot, size, false);
  }

  // ---- as a server

  /** Offers the service; who asks for an area waits for an answer. */
  public void listen() {
    node.cm().listen("pager", request -> {
      wishes.add(request);
      Handshake.Wish wish = Handshake.Wish.decode(request.privateData());
      heard.add(request.peerNode() + " wants " + wish.purpose() + (wish.area().isNone() ? "" : " " + wish.area().number()) + " of "
          + wish.areaBytes() + ", " + wish.credits() + " credits");
    });
  }

  public void grant(byte[] granted) {
    channel = endpoint.open(CHANNEL);
    wishes.removeFirst().accept(channel.qp(), ConnectionOptions.DEFAULT, granted, this);
    channel.postReceives();
  }

  public void grant(int credits, int inlineBytes, long area) {
    grant(new Handshake.Grant(credits, inlineBytes, new Handshake.AreaName(7, area), MailboxAddress.NONE).encode());
  }

  public void deny(Handshake.Refusal reason) {
    wishes.removeFirst().reject(new Handshake.Denial(reason, 4096).encode());
  }

  /** The oldest request that is not answered. */
  public PagerRequest next() {
    return requests.removeFirst();
  }

  /** Answers the oldest request. */
  public void answer(int status, long... extents) {
    answerTo(next().id, status, extents);
  }

  public void answerTo(long id, int status, long... extents) {
    PagerReply reply = new PagerReply(CHANNEL.messageBytes());
    reply.id = id;
    reply.status = status;
    reply.extentCount = extents.length;
    System.arraycopy(extents, 0, reply.extents, 0, extents.length);
    int slot = channel.reserve();
    channel.send(slot, reply.encode(channel.buffers(), channel.offset(slot)), true);
  }

  /** Moves the data of a request by RDMA, to or from the start of the memory here. */
  public void move(PagerRequest request, boolean toClient) {
    WorkRequest rdma = new WorkRequest();
    channel.transfer((toClient ? rdma.write(request.clientAddress, request.rkey) : rdma.read(request.clientAddress, request.rkey))
        .sge(mr, 0, (int) request.length), !toClient, 0);
  }

  // ---- what it hears

  @Override
  public void onMessage(MessageChannel from, MemorySegment buffer, long offset, int length) {
    PagerRequest request = new PagerRequest();
    PagerReply reply = new PagerReply(CHANNEL.messageBytes());
    if (length != PagerReply.HEADER_BYTES && request.decode(buffer, offset, length) == null) {
      requests.add(request);
      heard.add(request.op + " " + (request.id & 0xffff) + " of " + request.length + " at " + request.areaOffset
          + (request.isInline ? " with " + buffer.get(ValueLayout.JAVA_BYTE, offset + PagerRequest.BYTES) : ""));
    } else if (reply.decode(buffer, offset, length) == null) {
      StringBuilder extents = new StringBuilder();
      for (int i = 0; i < reply.extentCount; i++) {
        extents.append(' ').append(reply.extents[i]);
      }
      heard.add(reply.id + (reply.status == Errno.OK ? " ok" : " error " + reply.status) + extents);
      onReply.run();
    } else {
      heard.add("what is this? " + length + " bytes");
    }
  }

  @Override
  public void onCompleted(MessageChannel from, long token, WcStatus status) {
    heard.add("read " + status);
  }

  @Override
  public void onSendRoom(MessageChannel from) {}

  @Override
  public void onFailed(MessageChannel from, WcStatus status, int vendorErr) {
    if (status != WcStatus.WR_FLUSH_ERR) { // So ends every queue pair whose connection has ended, which is told anyway.
      heard.add("queue pair failed: " + status);
    }
  }

  @Override
  public void onEstablished(Connection made, byte[] privateData) {
    connection = made;
    Handshake.Grant given = Handshake.Grant.decode(privateData);
    if (given == null) {
      heard.add("ready"); // A server: its client has got the grant.
    } else {
      grant = given;
      heard.add("granted area " + grant.area().number() + ", " + grant.credits() + " credits, inline " + grant.inlineBytes());
    }
  }

  @Override
  public void onRejected(RejectReason reason, byte[] privateData) {
    Handshake.Denial denial = Handshake.Denial.decode(privateData);
    heard.add("refused " + (denial == null ? reason : denial.reason() + ", free " + denial.freeBytes()));
  }

  @Override
  public void onDisconnected(Connection gone, boolean nodeLost) {
    heard.add(nodeLost ? "node lost" : "disconnected");
  }
}
