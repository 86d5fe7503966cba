package dev.weft.tripwire.message;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.typesafe.config.ConfigFactory;
import dev.weft.fabric.link.LinkFaults;
import dev.weft.fabric.link.LinkProfile;
import dev.weft.fabric.time.AppThread;
import dev.weft.fabric.time.AppThreads;
import dev.weft.hca.node.VirtualFabric;
import dev.weft.tripwire.Nic;
import dev.weft.tripwire.Tripwire;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Programs that wait on Tripwires, in virtual time. */
class MessageTest {
  private static final long SECOND = 1_000_000_000L;

  private final Arena arena = Arena.ofShared();
  private final VirtualFabric fabric =
      new VirtualFabric(9, new LinkProfile(1_000, 10_000_000_000L), LinkFaults.NONE, ConfigFactory.empty());
  private final Nic near = nic("near");
  private final Nic far = nic("far");

  private Nic nic(String name) {
    Nic nic = Nic.start(fabric, fabric.addNode(name));
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
