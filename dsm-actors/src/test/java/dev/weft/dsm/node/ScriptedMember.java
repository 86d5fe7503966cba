package dev.weft.dsm.node;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.weft.dsm.wire.DsmMessage;
import dev.weft.dsm.wire.MessageCodec;
import dev.weft.hca.cm.Connection;
import dev.weft.hca.cm.ConnectionObserver;
import dev.weft.hca.cm.ConnectionOptions;
import dev.weft.hca.cm.RejectReason;
import dev.weft.hca.messaging.ChannelSettings;
import dev.weft.hca.messaging.MessageChannel;
import dev.weft.hca.messaging.MessageEndpoint;
import dev.weft.hca.messaging.MessageHandler;
import dev.weft.hca.node.Node;
import dev.weft.hca.node.VirtualFabric;
import dev.weft.hca.verbs.Access;
import dev.weft.hca.verbs.MemoryRegion;
import dev.weft.hca.verbs.ProtectionDomain;
import dev.weft.hca.verbs.ReceiveContext;
import dev.weft.hca.verbs.WcStatus;
import dev.weft.hca.verbs.WorkRequest;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** A member of a shared memory that does what a test tells it to and nothing else, over real queue pairs in virtual time. */
final class ScriptedMember implements MessageHandler, ConnectionObserver {
  private static final ChannelSettings CHANNEL = new ChannelSettings(MessageCodec.BYTES_MAX, 64, 64, 8);
  /** Long enough for all that follows from one message, and for no time-out. */
  private static final long WHILE_NS = 1_000_000;

  private final VirtualFabric fabric;
  private final Node node;
  private final MemorySegment frames;
  private final MemoryRegion mr;
  private final MessageEndpoint endpoint;
  private final MessageChannel channel;
  private final List<String> heard = new ArrayList<>();
  /** What the other side said of itself. */
  Hello other;

  ScriptedMember(VirtualFabric fabric, String name, int memoryBytes) {
    this.fabric = fabric;
    this.node = fabric.addNode(name);
    this.frames = Arena.ofAuto().allocate(memoryBytes, 4096);
    ProtectionDomain pd = node.hca().allocPd();
    this.mr = node.hca().regMr(pd, frames, Access.ALL);
    this.endpoint = new MessageEndpoint(node.hca(), pd, CHANNEL.cqEntries(), ReceiveContext.ISR, false, this, () -> endpoint().service(1000));
    this.channel = endpoint.open(CHANNEL);
    endpoint.arm();
  }

  private MessageEndpoint endpoint() {
    return endpoint;
  }

  /** Says what it likes of itself. */
  void connect(String to, byte[] greeting) {
    ConnectionOptions options = ConnectionOptions.DEFAULT.withAccessFlags(Access.REMOTE_READ | Access.REMOTE_WRITE);
    node.cm().connect(to, "dsm/test", channel.qp(), options, greeting, this);
    channel.postReceives();
  }

  /** A greeting with its own frames. */
  byte[] hello(int number, long memoryBytes) {
    return new Hello(number, -1, mr.addr(), mr.rkey(), memoryBytes).encode();
  }

  void says(DsmMessage message) {
    ByteBuffer bytes = ByteBuffer.allocate(MessageCodec.BYTES_MAX);
    MessageCodec.encode(message, bytes);
    bytes.flip();
    byte[] all = new byte[bytes.limit()];
    bytes.get(all);
    says(all);
  }

  void says(byte... bytes) {
    int slot = channel.reserve();
    MemorySegment.copy(bytes, 0, channel.buffers(), ValueLayout.JAVA_BYTE, channel.offset(slot), bytes.length);
    channel.send(slot, bytes.length, true);
  }

  /** Puts a word into the other side's frames by RDMA. */
  void writes(long offset, long value) {
    frames.set(ValueLayout.JAVA_LONG, offset, value);
    channel.transfer(new WorkRequest().write(other.frames() + offset, other.rkey()).sge(mr, offset, Long.BYTES), false, 0);
  }

  long word(long offset) {
    return frames.get(ValueLayout.JAVA_LONG, offset);
  }

  /** All that it has heard since this was asked last, after all that was told has had its effect. */
  void hears(String... expected) {
    assertEquals(List.of(expected), heard());
  }

  void hears(DsmMessage... expected) {
    List<String> told = new ArrayList<>();
    for (DsmMessage message : expected) {
      told.add(message.toString());
    }
    assertEquals(told, heard());
  }

  List<String> heard() {
    fabric.system().runFor(WHILE_NS);
    List<String> all = List.copyOf(heard);
    heard.clear();
    return all;
  }

  @Override
  public void onMessage(MessageChannel from, MemorySegment buffer, long offset, int length) {
    heard.add(MessageCodec.decode(buffer.asSlice(offset, length).asByteBuffer()).toString());
  }

  @Override
  public void onCompleted(MessageChannel from, long token, WcStatus status) {}

  @Override
  public void onSendRoom(MessageChannel from) {}

  @Override
  public void onFailed(MessageChannel from, WcStatus status, int vendorErr) {
    if (status != WcStatus.WR_FLUSH_ERR) { // So ends every queue pair whose connection has ended, which is told anyway.
      heard.add("queue pair failed: " + status);
    }
  }

  @Override
  public void onEstablished(Connection connection, byte[] privateData) {
    other = Hello.decode(privateData);
    heard.add("is node " + other.assigned());
  }

  @Override
  public void onRejected(RejectReason reason, byte[] privateData) {
    heard.add("refused: " + (privateData == null ? reason : new String(privateData, StandardCharsets.UTF_8)));
  }

  @Override
  public void onDisconnected(Connection connection, boolean nodeLost) {
    heard.add("disconnected");
  }
}
