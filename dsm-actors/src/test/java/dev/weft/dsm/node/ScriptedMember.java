package dev.weft.dsm.node;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.weft.dsm.net.Denial;
import dev.weft.dsm.net.Hello;
import dev.weft.dsm.net.LostNotice;
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
import dev.weft.hca.messaging.QueuePairChannel;
import dev.weft.hca.node.Node;
import dev.weft.hca.node.VirtualFabric;
import dev.weft.hca.verbs.Access;
import dev.weft.hca.verbs.MemoryRegion;
import dev.weft.hca.verbs.ProtectionDomain;
import dev.weft.hca.verbs.QueuePair;
import dev.weft.hca.verbs.ReceiveContext;
import dev.weft.hca.verbs.WcStatus;
import dev.weft.hca.verbs.WorkRequest;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
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
  private final QueuePairChannel channel;
  private final List<String> heard = new ArrayList<>();
  private Connection connection;
  /** What the other side said of itself. */
  Hello other;

  ScriptedMember(VirtualFabric fabric, String name, int memoryBytes) {
    this.fabric = fabric;
    this.node = fabric.addNode(name);
    this.frames = Arena.ofAuto().allocate(memoryBytes, 4096);
    ProtectionDomain pd = node.hca().allocPd();
    this.mr = node.hca().regMr(pd, frames, Access.ALL);
    this.endpoint = new MessageEndpoint(node.hca(), pd, 4 * CHANNEL.cqEntries(), ReceiveContext.ISR, false, this, () -> endpoint().service(1000));
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

  /** Asks for a connection, as to tell one that counts as lost, and never makes it; the answer is heard. */
  void tellsLost(String to, int lost, int from, long side) {
    QueuePair qp = endpoint.open(new ChannelSettings(MessageCodec.BYTES_MAX, 4, 4, 4)).qp();
    node.cm().connect(to, "dsm/test", qp, ConnectionOptions.DEFAULT, new LostNotice(lost, other.frames(), other.rkey(), from, side).encode(), this);
  }

  /** Notices that it counts as lost are heard, and answered. */
  void answersNotices(Denial answer) {
    node.cm().listen("dsm/test", request -> {
      LostNotice notice = LostNotice.decode(request.privateData());
      heard.add("told by " + notice.from() + " that " + notice.lost() + " is lost to " + Long.toBinaryString(notice.side()));
      request.reject(answer.encode());
    });
  }

  /** Ends its queue pair without a word. */
  void disconnects() {
    connection.disconnect();
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

  /** Puts a word into its own frames, where others may read it by RDMA. */
  void holds(long offset, long value) {
    frames.set(ValueLayout.JAVA_LONG, offset, value);
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
  public void onEstablished(Connection established, byte[] privateData) {
    connection = established;
    other = Hello.decode(privateData);
    heard.add("is node " + other.assigned());
  }

  @Override
  public void onRejected(RejectReason reason, byte[] privateData) {
    Denial denial = Denial.decode(privateData);
    boolean isPlain = denial.kind() == Denial.Kind.NO || denial.kind() == Denial.Kind.LOST;
    heard.add("refused: " + (privateData == null ? reason : isPlain ? denial.text() : denial.kind() + " " + denial.text()));
  }

  @Override
  public void onDisconnected(Connection ended, boolean nodeLost) {
    heard.add("disconnected");
  }
}
