package dev.weft.tripwire.message;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.typesafe.config.ConfigFactory;
import dev.weft.fabric.link.LinkFaults;
import dev.weft.fabric.link.LinkProfile;
import dev.weft.fabric.time.AppThread;
import dev.weft.fabric.time.AppThreads;
import dev.weft.hca.node.VirtualFabric;
import dev.weft.tripwire.device.NicDevice;
import dev.weft.tripwire.nic.Descriptor;
import dev.weft.tripwire.nic.Nic;
import dev.weft.tripwire.nic.NicException;
import dev.weft.tripwire.nic.RemoteAperture;
import dev.weft.tripwire.nic.Status;
import dev.weft.tripwire.nic.Tripwire;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** Programs that wait on Tripwires, in virtual time. */
@Tag("simulation")
class MessageTest {
  private static final long SECOND = 1_000_000_000L;

  private final Arena arena = Arena.ofShared();
  private final VirtualFabric fabric =
      new VirtualFabric(9, new LinkProfile(1_000, 10_000_000_000L), LinkFaults.NONE, ConfigFactory.empty());
  private final Nic near = nic("near");
  private final Nic far = nic("far");

  private Nic nic(String name) {
    Nic nic = NicDevice.start(fabric, fabric.addNode(name));
    assertTrue(fabric.system().runUntil(() -> nic.lid() != 0, SECOND));
    return nic;
  }

  @AfterEach
  void close() {
    fabric.close();
    arena.close();
  }

  /** Arm, look, wait: seed 003 section 4.3. */
  private static void until(AppThread me, Tripwire wire, BooleanSupplier condition) {
    while (!condition.getAsBoolean()) {
      wire.arm();
      if (!condition.getAsBoolean()) {
        wire.await(me);
      } else {
        wire.disarm();
        wire.take();
      }
    }
  }

  private void run(Consumer<AppThread> sender, Consumer<AppThread> receiver) {
    try (AppThreads threads = new AppThreads(fabric.system())) {
      threads.start("sender", sender);
      threads.start("receiver", receiver);
      threads.runToEnd(100 * SECOND);
    }
  }

  private MemorySegment numbered(int bytes, int number) {
    MemorySegment message = arena.allocate(bytes, 8);
    message.fill((byte) number);
    message.set(ValueLayout.JAVA_INT, 0, number);
    return message;
  }

  private static void assertNumbered(int number, MemorySegment message) {
    assertEquals(number, message.get(ValueLayout.JAVA_INT, 0));
    for (long i = 4; i < message.byteSize(); i++) {
      assertEquals((byte) number, message.get(ValueLayout.JAVA_BYTE, i));
    }
  }

  @Test
  void shouldTransferOneMessageAfterTheOther() {
    try (MessageSender sender = new MessageSender(near); MessageReceiver receiver = new MessageReceiver(far, 9000)) {
      sender.connect(receiver.descriptor());
      receiver.connect(sender.descriptor());
      assertNull(receiver.peek());
      run(me -> {
        for (int i = 1; i <= 50; i++) {
          MemorySegment message = numbered(100 + i * 170, i);
          until(me, sender.ready(), sender::isReady);
          assertTrue(sender.trySend(message, 0, (int) message.byteSize()));
          assertFalse(sender.trySend(message, 0, 8), "the buffer is not free");
        }
      }, me -> {
        for (int i = 1; i <= 50; i++) {
          until(me, receiver.ready(), () -> receiver.peek() != null);
          assertEquals(100 + i * 170, receiver.peek().byteSize());
          assertNumbered(i, receiver.peek());
          receiver.release();
        }
      });
    }
  }

  @Test
  void shouldQueueAsManyMessagesAsThereAreSlotsLessOne() {
    try (QueueSender sender = new QueueSender(near, 64, 8); QueueReceiver receiver = new QueueReceiver(far, 64, 8)) {
      sender.connect(receiver.descriptor());
      receiver.connect(sender.descriptor());
      for (int i = 0; i < 7; i++) {
        assertTrue(sender.tryEnqueue(numbered(64, i), 0));
      }
      assertFalse(sender.tryEnqueue(numbered(64, 9), 0));
      fabric.system().runFor(SECOND);
      for (int i = 0; i < 7; i++) {
        assertNumbered(i, receiver.peek());
        receiver.release();
      }
      assertTrue(receiver.isEmpty());
      fabric.system().runFor(SECOND);
      assertFalse(sender.isFull());
    }
  }

  @Test
  void shouldStreamThroughAQueue() {
    try (QueueSender sender = new QueueSender(near, 64, 4); QueueReceiver receiver = new QueueReceiver(far, 64, 4)) {
      sender.connect(receiver.descriptor());
      receiver.connect(sender.descriptor());
      run(me -> {
        for (int i = 0; i < 300; i++) {
          MemorySegment message = numbered(64, i);
          until(me, sender.ready(), () -> !sender.isFull());
          assertTrue(sender.tryEnqueue(message, 0));
          me.compute(i % 7 * 1_000);
        }
      }, me -> {
        for (int i = 0; i < 300; i++) {
          until(me, receiver.ready(), () -> !receiver.isEmpty());
          assertNumbered(i, receiver.peek());
          receiver.release();
          me.compute(i % 5 * 1_500);
        }
      });
    }
  }

  @Test
  void shouldCallAndBeAnswered() {
    try (RpcClient client = new RpcClient(near, 256); RpcServer server = new RpcServer(far, 256)) {
      client.connect(server.descriptor());
      server.connect(client.descriptor());
      run(me -> {
        for (int i = 1; i <= 100; i++) {
          assertTrue(client.tryCall(numbered(16, i), 0, 16));
          assertFalse(client.tryCall(numbered(16, i), 0, 16), "one at a time");
          until(me, client.ready(), () -> client.reply() != null);
          assertEquals(2 * i, client.reply().get(ValueLayout.JAVA_INT, 0));
        }
      }, me -> {
        for (int i = 1; i <= 100; i++) {
          until(me, server.ready(), () -> server.request() != null);
          assertNumbered(i, server.request());
          assertTrue(server.tryReply(numbered(8, 2 * i), 0, 8));
          assertNull(server.request());
        }
      });
    }
  }

  private void lie(Descriptor to, long... offsetsAndValues) {
    RemoteAperture mapping = near.map(to);
    for (int i = 0; i < offsetsAndValues.length; i += 2) {
      assertTrue(mapping.writeLong(offsetsAndValues[i], offsetsAndValues[i + 1]));
    }
    fabric.system().runFor(SECOND);
  }

  private static void assertInvalid(Executable call) {
    assertEquals(Status.INVALID, assertThrows(NicException.class, call).status());
  }

  @Test
  void shouldRefuseStreamsThatAreLongerThanTheBufferOrGoBack() {
    try (StreamReceiver receiver = new StreamReceiver(far, 100)) {
      lie(receiver.descriptor(), StreamReceiver.LAZY_WRITTEN, 101);
      assertInvalid(receiver::available);
      assertInvalid(() -> receiver.read(arena.allocate(200), 0, 200));
      lie(receiver.descriptor(), StreamReceiver.LAZY_WRITTEN, -1);
      assertInvalid(receiver::available);
    }
  }

  @Test
  void shouldRefuseQueuesWithIndicesThatCannotBeAndShowNoMoreThanTheyHold() {
    try (QueueReceiver receiver = new QueueReceiver(far, 8, 4); QueueSender its = new QueueSender(near, 8, 4);
        QueueSender sender = new QueueSender(far, 8, 4); QueueReceiver other = new QueueReceiver(near, 8, 4)) {
      receiver.connect(its.descriptor());
      for (long index : new long[] {4, -1, Long.MIN_VALUE, 1L << 32}) {
        lie(receiver.descriptor(), QueueReceiver.LAZY_WRITE_I, index);
        assertInvalid(receiver::isEmpty);
        assertInvalid(receiver::peek);
        assertTrue(other.isEmpty(), "what is said of one queue is not said of another");
      }
      for (int index : new int[] {2, 1, 3}) {
        lie(receiver.descriptor(), QueueReceiver.LAZY_WRITE_I, index);
        int shown = 0;
        for (; receiver.peek() != null; shown++) {
          receiver.release();
        }
        assertTrue(shown > 0 && shown < 4, shown + " messages");
      }
      sender.connect(other.descriptor());
      lie(sender.descriptor(), 0, 4);
      assertInvalid(sender::isFull);
      assertInvalid(() -> sender.tryEnqueue(numbered(8, 1), 0));
      lie(sender.descriptor(), 0, 0);
      assertTrue(sender.tryEnqueue(numbered(8, 1), 0));
    }
  }

  @Test
  void shouldRefuseMessagesAndCallsOfLengthsThatCannotBe() {
    try (MessageReceiver receiver = new MessageReceiver(far, 100); RpcServer server = new RpcServer(far, 100);
        RpcClient client = new RpcClient(far, 100); RpcServer other = new RpcServer(near, 100)) {
      server.connect(client.descriptor());
      client.connect(other.descriptor());
      assertTrue(client.tryCall(numbered(8, 1), 0, 8));
      for (int length : new int[] {101, -1}) {
        lie(receiver.descriptor(), MessageReceiver.RX_READY, length);
        assertInvalid(receiver::peek);
        lie(server.descriptor(), RpcClient.FLAG, 1L << 32 | length & 0xffffffffL);
        assertInvalid(server::request);
        lie(client.descriptor(), RpcClient.FLAG, 1L << 32 | length & 0xffffffffL);
        assertInvalid(client::reply);
      }
    }
  }

  @Test
  void shouldRefuseHeadersAndPartsOfLengthsThatCannotBe() {
    try (MultipartReceiver receiver = new MultipartReceiver(far, 4, 64, 100)) {
      Descriptor to = receiver.descriptor();
      for (long length : new long[] {65, 0xffffffffL}) {
        lie(to, MultipartReceiver.HEADER, 1L << 32 | length);
        assertInvalid(receiver::header);
      }
      lie(to, MultipartReceiver.HEADER, 1L << 32 | 8, MultipartReceiver.TABLE, 5, MultipartReceiver.PARTS, 1L << 32 | 5);
      assertEquals(8, receiver.header().byteSize());
      assertInvalid(receiver::partCount);
      assertInvalid(receiver::partsReady);
      lie(to, MultipartReceiver.TABLE, 101L << 32 | 2, MultipartReceiver.PARTS, 1L << 32 | 2);
      assertInvalid(() -> receiver.part(0));
      assertInvalid(() -> receiver.part(1));
      lie(to, MultipartReceiver.TABLE, 0xffffffffL << 32 | 2);
      assertInvalid(() -> receiver.part(0));
      assertInvalid(() -> receiver.part(1));
    }
  }

  @Test
  void shouldStreamBytesOfAnyLength() {
    int total = 200_000;
    MemorySegment source = arena.allocate(total);
    new SplittableRandom(3).ints(total).limit(total).forEach(new java.util.function.IntConsumer() {
      private int at;

      @Override
      public void accept(int value) {
        source.set(ValueLayout.JAVA_BYTE, at++, (byte) value);
      }
    });
    MemorySegment target = arena.allocate(total);
    try (StreamSender sender = new StreamSender(near); StreamReceiver receiver = new StreamReceiver(far, 3000)) {
      sender.connect(receiver.descriptor());
      receiver.connect(sender.descriptor());
      SplittableRandom random = new SplittableRandom(4);
      run(me -> {
        int[] sent = new int[1];
        while (sent[0] < total) {
          until(me, sender.ready(), () -> {
            int count = sender.write(source, sent[0], Math.min(total - sent[0], 1 + random.nextInt(5000)));
            sent[0] += count;
            return count > 0;
          });
        }
      }, me -> {
        int[] got = new int[1];
        while (got[0] < total) {
          until(me, receiver.ready(), () -> {
            int count = receiver.read(target, got[0], Math.min(total - got[0], 1 + random.nextInt(5000)));
            got[0] += count;
            return count > 0;
          });
        }
      });
    }
    assertEquals(-1, source.mismatch(target));
  }
}
