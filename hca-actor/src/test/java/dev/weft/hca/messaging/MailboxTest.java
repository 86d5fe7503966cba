package dev.weft.hca.messaging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.fabric.link.LinkFaults;
import dev.weft.hca.node.Node;
import dev.weft.hca.node.VirtualFabric;
import dev.weft.hca.verbs.Access;
import dev.weft.hca.verbs.MemoryRegion;
import dev.weft.hca.verbs.ProtectionDomain;
import dev.weft.hca.verbs.QpAttr;
import dev.weft.hca.verbs.ReceiveContext;
import dev.weft.hca.verbs.WcStatus;
import dev.weft.hca.verbs.WorkRequest;
import dev.weft.hca.verbs.WriteWatches;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Messages that are written; the notices come when the test says so. */
@Tag("simulation")
class MailboxTest {
  private static final ChannelSettings SIZES = new ChannelSettings(100, 8, 3, 4);

  /** One watch, which tells when asked to. */
  private static final class Told implements WriteWatches, WriteWatches.WriteWatch {
    Runnable written;
    boolean armed;
    boolean closed;

    @Override
    public WriteWatch watch(MemoryRegion region, long offset, long length, Runnable toldOf) {
      assertEquals(region.length(), length);
      written = toldOf;
      return this;
    }

    @Override
    public void arm() {
      armed = true;
    }

    @Override
    public void close() {
      closed = true;
    }

    void fire() {
      if (armed && !closed) {
        armed = false;
        written.run();
      }
    }
  }

  private static final class Side implements MessageHandler {
    final ProtectionDomain pd;
    final MessageEndpoint endpoint;
    final QueuePairChannel channel;
    final List<String> got = new ArrayList<>();
    final List<WcStatus> failures = new ArrayList<>();
    int wakes;

    Side(Node node, WriteWatches watches) {
      pd = node.hca().allocPd();
      endpoint = watches == null ? new MessageEndpoint(node.hca(), pd, SIZES.cqEntries(), ReceiveContext.ISR, false, this, () -> wakes++)
          : new MessageEndpoint(node.hca(), pd, SIZES.cqEntries(), ReceiveContext.ISR, watches, this, () -> wakes++);
      endpoint.arm();
      channel = endpoint.open(SIZES);
    }

    void send(String text) {
      int slot = channel.reserve();
      MemorySegment.copy(MemorySegment.ofArray(text.getBytes()), 0, channel.buffers(), channel.offset(slot), text.length());
      assertTrue(channel.send(slot, text.length(), true));
    }

    @Override
    public void onMessage(MessageChannel from, MemorySegment buffer, long offset, int length) {
      got.add(new String(buffer.asSlice(offset, length).toArray(ValueLayout.JAVA_BYTE)));
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

  private final VirtualFabric fabric = VirtualFabric.create(1, LinkFaults.NONE);
  private final Told told = new Told();
  private Side writer;
  private Side reader;
  private Node near;

  @BeforeEach
  void connect() {
    near = fabric.addNode("near");
    Node far = fabric.addNode("far");
    writer = new Side(near, null);
    reader = new Side(far, told);
    connect(writer, far, reader);
    connect(reader, near, writer);
    reader.channel.postReceives();
    writer.channel.writeTo(reader.channel.mailboxAddress());
  }

  private static void connect(Side own, Node peer, Side to) {
    own.channel.qp().modify(QpAttr.init(Access.ALL));
    own.channel.qp().modify(QpAttr.rtr().destLid(peer.hca().lid()).destQpNum(to.channel.qp().qpNum()).rqPsn(1).pathMtu(1024));
    own.channel.qp().modify(QpAttr.rts(1));
  }

  @AfterEach
  void close() {
    fabric.close();
  }

  private void run() {
    fabric.system().runFor(1_000_000);
  }

  @Test
  void shouldHandWrittenMessagesOverInOrderWithoutCompletionEvents() {
    List<String> sent = new ArrayList<>();
    for (int round = 0; round < 40; round++) {
      for (int i = 0; i < 1 + round % 3; i++) { // Three slots, read before they are filled again.
        sent.add("x".repeat(round % 100) + i);
        writer.send(sent.getLast());
      }
      run();
      writer.endpoint.service(100);
      told.fire();
      reader.endpoint.service(100);
    }
    assertEquals(sent, reader.got);
    assertEquals(0, reader.endpoint.stats().events());
    assertEquals(40, reader.endpoint.stats().writeNotices());
    assertEquals(List.of(), reader.failures);
  }

  @Test
  void shouldAskForAnotherTurnWhenTheBudgetIsUsedUp() {
    writer.send("a");
    writer.send("b");
    writer.send("c");
    run();
    told.fire();
    assertEquals(1, reader.wakes);
    assertEquals(2, reader.endpoint.service(2));
    assertEquals(2, reader.wakes);
    assertFalse(told.armed, "a message lies there still");
    assertEquals(1, reader.endpoint.service(2));
    assertEquals(List.of("a", "b", "c"), reader.got);
    assertTrue(told.armed);
  }

  @Test
  void shouldArmAgainAlsoWhenTheBudgetWasJustEnough() {
    writer.send("a");
    writer.send("b");
    run();
    told.fire();
    assertEquals(2, reader.endpoint.service(2));
    assertEquals(2, reader.wakes);
    assertEquals(0, reader.endpoint.service(2));
    assertTrue(told.armed);
  }

  /** It was written before the watch was armed again, so that no notice comes. */
  @Test
  void shouldSeeWhatWasWrittenWhileItReadTheOthers() {
    writer.send("a");
    run();
    told.fire();
    writer.send("b");
    run();
    reader.endpoint.service(100);
    assertEquals(List.of("a", "b"), reader.got);
    assertTrue(told.armed);
    told.fire();
    assertEquals(0, reader.endpoint.service(100), "nothing new");
  }

  @Test
  void shouldFailAChannelWhosePeerWritesNonsense() {
    MailboxAddress to = reader.channel.mailboxAddress();
    raw(to.address() + to.slotBytes() - 8, to.rkey(), ByteBuffer.allocate(8).order(java.nio.ByteOrder.LITTLE_ENDIAN).putInt(1 << 20)
        .putInt(1).array());
    told.fire();
    reader.endpoint.service(100);
    assertEquals(List.of(WcStatus.LOC_LEN_ERR), reader.failures);
    assertFalse(reader.channel.isOpen());
    reader.channel.close();
    assertTrue(told.closed);
  }

  @Test
  void shouldFailAChannelWhosePeerSends() {
    writer.channel.writeTo(MailboxAddress.NONE);
    writer.send("a");
    run();
    assertTrue(reader.wakes > 0, "an error is told by an event");
    reader.endpoint.service(100);
    assertEquals(1, reader.failures.size());
    assertEquals(List.of(), reader.got);
  }

  @Test
  void shouldBeToldThatTheQueuePairHasFailedThoughNothingIsPosted() {
    MailboxAddress to = reader.channel.mailboxAddress();
    raw(to.address() + (long) to.slots() * to.slotBytes(), to.rkey(), new byte[8]);
    reader.endpoint.service(100);
    assertEquals(List.of(WcStatus.WR_FLUSH_ERR), reader.failures);
  }

  private void raw(long address, int rkey, byte[] bytes) {
    MemorySegment memory = Arena.ofAuto().allocate(64);
    memory.copyFrom(MemorySegment.ofArray(bytes));
    MemoryRegion mr = near.hca().regMr(writer.pd, memory, Access.LOCAL_WRITE);
    assertTrue(writer.channel.transfer(new WorkRequest().write(address, rkey).sge(mr, 0, bytes.length), false, 0));
    run();
  }

  @Test
  void shouldRefuseAMailboxThatIsTooSmall() {
    MailboxAddress small = new MailboxAddress(0, 1, 3, 107);
    assertThrows(IllegalArgumentException.class, () -> writer.channel.writeTo(small));
    MailboxAddress same = MailboxAddress.decode(ByteBuffer.wrap(reader.channel.mailboxAddress().encode()));
    assertEquals(reader.channel.mailboxAddress(), same);
    assertTrue(same.holds(3, 100) && !same.holds(4, 100));
  }
}
