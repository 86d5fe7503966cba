package dev.weft.fabric.capture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.fabric.link.Cable;
import dev.weft.fabric.packet.CableMessage;
import dev.weft.fabric.packet.Opcode;
import dev.weft.fabric.packet.Packet;
import dev.weft.fabric.packet.PacketCodec;
import dev.weft.fabric.packet.Payload;
import dev.weft.fabric.packet.RandomPackets;
import java.io.ByteArrayOutputStream;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** One thread is the hardware and the reader here. */
@Timeout(180)
class LiveCaptureTest {
  private static final int QUEUE_BYTES = CaptureSettings.MIN_QUEUE_BYTES;
  private static final long EPOCH_NS = 1_700_000_000_000_000_000L;
  private static final int FLAGS_FROM_THE_END = 12;

  private final RandomPackets packets = new RandomPackets(RandomPackets.seeded("LiveCaptureTest"));
  private final List<CableMessage> passed = new ArrayList<>();
  private final CaptureHub hub = new CaptureHub();
  private final Cable fromNode = hub.fromNode(passed::add);
  private final Cable toNode = hub.toNode(passed::add);
  private long nowNs = 1000;

  private LiveCapture begin(boolean sentOnly) {
    LiveCapture capture = hub.begin(QUEUE_BYTES, () -> nowNs, EPOCH_NS, sentOnly, Runnable::run);
    assertNotNull(capture);
    return capture;
  }

  private Packet send(Cable cable, int srcLid, int length) {
    Packet any = packets.next(Opcode.RC_SEND_ONLY, length);
    Packet packet = new Packet(any.opcode(), srcLid, 9, 0, false, true, 0xffff, 17, any.psn(), 0, 0, 0, 0, 0, 0, 0, 0, any.payload());
    cable.transmit(packet);
    return packet;
  }

  private static List<ByteBuffer> blocks(byte[] taken) {
    List<ByteBuffer> blocks = new ArrayList<>();
    ByteBuffer all = Pcapng.wrap(taken);
    while (all.hasRemaining()) {
      int length = all.getInt(all.position() + 4);
      blocks.add(Pcapng.wrap(Arrays.copyOfRange(taken, all.position(), all.position() + length)));
      all.position(all.position() + length);
    }
    return blocks;
  }

  private static List<Integer> directions(byte[] taken) {
    return blocks(taken).stream().map(block -> block.getInt(block.limit() - FLAGS_FROM_THE_END)).toList();
  }

  @Test
  void shouldShowWhatPassesWithItsTimeAndItsDirectionAndHandItOn() {
    LiveCapture capture = begin(false);
    Packet packet = send(fromNode, 3, 100);
    nowNs = 2000;
    send(toNode, 4, 7);
    CableMessage credits = new CableMessage.Credits(0, 3);
    toNode.transmit(credits);
    byte[] taken = capture.take(1 << 20);
    ByteBuffer first = blocks(taken).getFirst();
    assertEquals(EPOCH_NS + 1000, Pcapng.timeNs(first));
    Packet decoded = new PacketCodec().decode(new UnsafeBuffer(first), 28 + 42, first.getInt(20) - 42, 3, 9, 0, true, null);
    assertEquals(packet.toString(), decoded.toString());
    assertEquals(List.of(PacketBlock.OUTBOUND, PacketBlock.INBOUND), directions(taken));
    assertEquals(3, passed.size());
    assertEquals(credits, passed.getLast());
    assertEquals(0, capture.take(1 << 20).length, "each is taken once");
  }

  @Test
  void shouldShowOnceWhatGoesFromOneNodeOfTheJvmToAnother() {
    LiveCapture capture = begin(false);
    send(fromNode, 3, 100);
    send(toNode, 3, 100);
    send(toNode, 4, 100);
    assertEquals(List.of(PacketBlock.OUTBOUND, PacketBlock.INBOUND), directions(capture.take(1 << 20)));
  }

  @Test
  void shouldLeaveOutWhatArrivesIfSoAsked() {
    LiveCapture capture = begin(true);
    send(toNode, 4, 100);
    send(fromNode, 3, 100);
    assertEquals(List.of(PacketBlock.OUTBOUND), directions(capture.take(1 << 20)));
  }

  @Test
  void shouldDropAndCountWhatDoesNotFitAndGoOnWhenThereIsRoom() {
    LiveCapture capture = begin(false);
    for (int i = 0; i < 300; i++) {
      send(fromNode, 3, 8000);
    }
    assertEquals(300, passed.size(), "nothing is held up");
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    for (byte[] taken = capture.take(64 << 10); taken.length > 0; taken = capture.take(64 << 10)) {
      all.writeBytes(taken);
    }
    int shown = blocks(all.toByteArray()).size();
    assertTrue(shown > 100 && shown < 300, shown + " shown");
    assertEquals(300 - shown, capture.droppedCount());
    ByteBuffer statistics = Pcapng.wrap(capture.statistics());
    assertEquals(300, statistics.getLong(Pcapng.RECEIVED_OFFSET));
    assertEquals(300 - shown, statistics.getLong(Pcapng.DROPPED_OFFSET));
    send(fromNode, 3, 8000);
    assertEquals(1, blocks(capture.take(1 << 20)).size());
  }

  @Test
  void shouldTakeTheLongestPacketInBlocksThatAreWhole() {
    LiveCapture capture = begin(false);
    send(fromNode, 3, 65_536);
    send(fromNode, 3, 1);
    List<ByteBuffer> blocks = blocks(capture.take(1 << 20));
    assertEquals(2, blocks.size());
    assertTrue(blocks.getFirst().limit() <= Pcapng.BLOCK_LENGTH_MAX, blocks.getFirst()::toString);
    assertEquals(14 + 65_535, blocks.getFirst().getInt(20));
    assertEquals(PacketBlock.OUTBOUND, blocks.getFirst().getInt(blocks.getFirst().limit() - FLAGS_FROM_THE_END));
  }

  @Test
  void shouldHandOnWhatCannotBeShown() {
    LiveCapture capture = begin(false);
    fromNode.transmit(new Packet(Opcode.RC_SEND_ONLY, 3, 9, 0, false, true, 0xffff, 1 << 24, 0, 0, 0, 0, 0, 0, 0, 0, 0, Payload.EMPTY));
    assertEquals(1, capture.droppedCount(), "a queue pair number of 25 bits");
    assertEquals(0, capture.take(1 << 20).length);
    assertEquals(1, passed.size());
  }

  @Test
  void shouldBeOneAtATime() {
    LiveCapture first = begin(false);
    assertNull(hub.begin(QUEUE_BYTES, () -> nowNs, EPOCH_NS, false, Runnable::run));
    send(fromNode, 3, 1);
    assertEquals(1, blocks(first.take(1 << 20)).size(), "it goes on");
    hub.finish();
    assertTrue(first.isFinished());
    hub.end(first, Runnable::run);
    hub.end(first, Runnable::run);
    assertTrue(hub.finish().toCompletableFuture().isDone());
    LiveCapture second = begin(false);
    hub.end(first, Runnable::run);
    assertTrue(hub.isBusy(), "the first has ended before");
    send(fromNode, 3, 1);
    assertEquals(0, first.take(1 << 20).length);
    assertEquals(1, blocks(second.take(1 << 20)).size());
  }

  /** Ended captures leave their memory to the garbage collector, which may never come to it. */
  @Test
  void shouldTakeTheMemoryOfTheLastForTheNextAndFindNothingInIt() {
    BufferPoolMXBean direct = ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
        .filter(pool -> pool.getName().equals("direct")).findFirst().orElseThrow();
    long before = direct.getMemoryUsed();
    for (int i = 0; i < 100; i++) {
      LiveCapture capture = begin(false);
      assertEquals(0, capture.take(1 << 20).length, "what the last did not take");
      send(fromNode, 3, i);
      send(fromNode, 3, 1000);
      byte[] one = capture.take(1);
      assertEquals(1, blocks(one).size());
      hub.end(capture, Runnable::run);
    }
    assertTrue(direct.getMemoryUsed() <= before + 4 * QUEUE_BYTES, () -> direct.getMemoryUsed() - before + " bytes more");
  }

  @Test
  void shouldBeginLaterWhenTheHardwareThreadTakesNothing() {
    assertThrows(RejectedExecutionException.class, () -> hub.begin(QUEUE_BYTES, () -> nowNs, EPOCH_NS, false, task -> {
      throw new RejectedExecutionException("full");
    }));
    begin(false);
  }

  @Test
  void shouldDropWhatIsTooLongForTheQueue() {
    LiveCapture capture = begin(false);
    send(fromNode, 3, QUEUE_BYTES / 4);
    assertEquals(1, capture.droppedCount());
    assertEquals(1, passed.size());
  }

  @Test
  void shouldSayHowFarItHasCome() {
    LiveCapture capture = begin(false);
    send(fromNode, 3, 60_000);
    nowNs = 2000;
    send(fromNode, 3, 60_000);
    nowNs = 3000;
    capture.take(1);
    assertEquals(EPOCH_NS + 1000, Pcapng.timeNs(Pcapng.wrap(capture.statistics())), "one is left");
    capture.take(1 << 20);
    assertEquals(EPOCH_NS + 3000, Pcapng.timeNs(Pcapng.wrap(capture.statistics())));
  }
}
