package dev.weft.hca.messaging;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.fabric.link.LinkFaults;
import dev.weft.hca.node.Node;
import dev.weft.hca.node.VirtualFabric;
import dev.weft.hca.verbs.Access;
import dev.weft.hca.verbs.MemoryRegion;
import dev.weft.hca.verbs.QpAttr;
import dev.weft.hca.verbs.ReceiveContext;
import dev.weft.hca.verbs.WcStatus;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Messages of a send buffer and of data from elsewhere. */
@Tag("simulation")
class SendWithTest {
  private static final int DATA_BYTES = 5000;
  private static final long SECOND = 1_000_000_000L;
  private static final ChannelSettings SENDER = new ChannelSettings(64, 64, 8, 8, 0, true);
  private static final ChannelSettings RECEIVER = new ChannelSettings(64, 64 + DATA_BYTES, 8, 8, 0, false);

  private static final class Side implements MessageHandler {
    final MessageEndpoint endpoint;
    final QueuePairChannel channel;
    final MemoryRegion data;
    final List<byte[]> got = new ArrayList<>();
    final List<WcStatus> failures = new ArrayList<>();

    Side(Node node, ChannelSettings settings) {
      var pd = node.hca().allocPd();
      endpoint = new MessageEndpoint(node.hca(), pd, settings.cqEntries(), ReceiveContext.ISR, false, this, () -> endpoint().service(100));
      channel = endpoint.open(settings);
      data = node.hca().regMr(pd, Arena.ofAuto().allocate(2 * DATA_BYTES), Access.LOCAL_WRITE);
      endpoint.arm();
    }

    private MessageEndpoint endpoint() {
      return endpoint;
    }

    void connect(Node peer, Side to) {
      channel.qp().modify(QpAttr.init(Access.ALL));
      channel.qp().modify(QpAttr.rtr().destLid(peer.hca().lid()).destQpNum(to.channel.qp().qpNum()).rqPsn(1).pathMtu(1024));
      channel.qp().modify(QpAttr.rts(1));
      channel.postReceives();
    }

    boolean send(byte[] head, int dataOffset, int dataBytes) {
      int slot = channel.reserve();
      MemorySegment.copy(MemorySegment.ofArray(head), 0, channel.buffers(), channel.offset(slot), head.length);
      return channel.sendWith(slot, head.length, data, dataOffset, dataBytes, true);
    }

    @Override
    public void onMessage(MessageChannel from, MemorySegment buffer, long offset, int length) {
      got.add(buffer.asSlice(offset, length).toArray(ValueLayout.JAVA_BYTE));
    }

    @Override
    public void onCompleted(MessageChannel from, long token, WcStatus status) {}

    @Override
    public void onSendRoom(MessageChannel from) {}

    @Override
    public void onFailed(MessageChannel from, WcStatus status, int vendorErr) {
      failures.add(status);
    }
  }

  private final VirtualFabric fabric = VirtualFabric.create(1, new LinkFaults(0.02, 0.02, 0.02, 0.01, 10_000));
  private Side sender;
  private Side receiver;

  @BeforeEach
  void connect() {
    Node near = fabric.addNode("near");
    Node far = fabric.addNode("far");
    sender = new Side(near, SENDER);
    receiver = new Side(far, RECEIVER);
    sender.connect(far, receiver);
    receiver.connect(near, sender);
  }

  @AfterEach
  void close() {
    fabric.close();
  }

  @Test
  void shouldDeliverHeadAndDataAsOneMessage() {
    Random random = new Random(3);
    byte[] all = new byte[2 * DATA_BYTES];
    random.nextBytes(all);
    MemorySegment.copy(MemorySegment.ofArray(all), 0, sender.data.segment(), 0, all.length);
    for (int i = 0; i < 200; i++) {
      byte[] head = new byte[1 + random.nextInt(64)];
      random.nextBytes(head);
      int bytes = random.nextInt(DATA_BYTES + 1);
      int offset = random.nextInt(DATA_BYTES);
      assertTrue(sender.send(head, offset, bytes));
      int sent = i + 1;
      assertTrue(fabric.system().runUntil(() -> receiver.got.size() == sent, 10 * SECOND), "message " + i + ", " + sender.failures);
      byte[] message = receiver.got.getLast();
      assertArrayEquals(head, Arrays.copyOf(message, head.length), "message " + i);
      assertArrayEquals(Arrays.copyOfRange(all, offset, offset + bytes),
          Arrays.copyOfRange(message, head.length, message.length), "message " + i);
    }
    assertEquals(200, sender.channel.stats().sent());
  }

  @Test
  void shouldFailWhenThePeersBuffersAreTooShort() {
    assertTrue(receiver.send(new byte[64], 0, 1)); // one byte more than the sender's receive buffers have
    assertTrue(fabric.system().runUntil(() -> !receiver.failures.isEmpty(), 10 * SECOND));
    assertEquals(List.of(WcStatus.REM_INV_REQ_ERR), receiver.failures);
    assertFalse(receiver.send(new byte[1], 0, 1), "a failed channel sends nothing");
    assertEquals(0, receiver.channel.stats().reservedBuffers());
  }

  @Test
  void shouldRefuseDataForAMailbox() {
    sender.channel.writeTo(new MailboxAddress(4096, 1, 8, 128));
    int free = sender.channel.stats().freeBuffers();
    assertThrows(IllegalStateException.class, () -> sender.send(new byte[4], 0, 4));
    assertEquals(free, sender.channel.stats().freeBuffers(), "the buffer is free again");
  }
}
