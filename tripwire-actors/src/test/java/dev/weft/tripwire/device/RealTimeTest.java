package dev.weft.tripwire.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.hca.verbs.ReceiveContext;
import dev.weft.tripwire.nic.DmaQueue;
import dev.weft.tripwire.nic.EventQueue;
import dev.weft.tripwire.nic.RemoteAperture;
import dev.weft.tripwire.nic.Rights;
import dev.weft.tripwire.nic.Status;
import dev.weft.tripwire.nic.Tripwire;
import dev.weft.tripwire.nic.Watch;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Threads of applications against the hardware's thread, in one JVM. */
@Tag("slow")
@Tag("actor")
class RealTimeTest extends RealPair {
  private static final long SECOND = 1_000_000_000L;

  /** The order of seed 003 section 4.3: arm, look, wait. A lost wake-up would end in the time limit. */
  @Test
  void shouldNeverMissAWriteThatComesWhileItIsBeingArmed() throws InterruptedException {
    int rounds = 20_000;
    Tripwire wire = far.tripwire().set(aperture, Watch.WRITE, 0, 8, true);
    MemorySegment reply = arena.allocate(8, 8);
    RemoteAperture back = far.map(near.export(reply).descriptor(Rights.WRITE));
    Thread receiver = Thread.ofPlatform().start(() -> {
      for (long round = 1; round <= rounds; round++) {
        wire.arm();
        if ((long) ValueLayout.JAVA_LONG.varHandle().getAcquire(memory, 0L) < round) {
          assertTrue(wire.await(round % 3 == 0 ? 0 : 20_000, 20 * SECOND), "round " + round);
        }
        wire.disarm();
        wire.take();
        back.writeLong(0, round);
      }
    });
    for (long round = 1; round <= rounds; round++) {
      mapping.writeLong(0, round);
      long want = round;
      assertTrue(fabric.help(() -> (long) ValueLayout.JAVA_LONG.varHandle().getAcquire(reply, 0L) >= want, 90 * SECOND),
          "round " + round);
    }
    receiver.join();
  }

  @Test
  void shouldWakeASelector() throws IOException {
    try (Selector selector = Selector.open(); EventQueue queue = far.eventQueue()) {
      Tripwire wire = far.tripwire().set(aperture, Watch.WRITE, 0, 4, false);
      queue.register(wire);
      queue.channel().register(selector, SelectionKey.OP_READ);
      wire.arm();
      assertEquals(0, selector.selectNow());
      for (int round = 1; round <= 20; round++) {
        mapping.writeInt(0, round);
        mapping.writeInt(0, round);
        long told = 0;
        while (told < 2) {
          assertTrue(selector.select(20_000) > 0, "round " + round);
          selector.selectedKeys().clear();
          while (queue.poll()) {
            told += queue.count();
          }
        }
        assertEquals(2, told);
        assertFalse(queue.poll());
      }
      assertEquals(0, selector.selectNow());
      assertTrue(queue.signals() >= 20 && queue.signals() <= 40, "signals " + queue.signals());
    }
  }

  @Test
  void shouldCallHandlersInTheirContext() throws InterruptedException {
    for (ReceiveContext context : new ReceiveContext[] {ReceiveContext.ISR, ReceiveContext.TASK_QUEUE, ReceiveContext.PROCESS}) {
      CountDownLatch done = new CountDownLatch(200);
      Tripwire wire = far.tripwire().set(aperture, Watch.WRITE, 128, 8, true);
      wire.onFired((tripwire, firings) -> {
        tripwire.arm();
        done.countDown();
      }, context);
      wire.arm();
      long before = done.getCount();
      for (int i = 0; i < 200; i++) {
        mapping.writeLong(128, i);
        long want = --before;
        assertTrue(fabric.help(() -> done.getCount() <= want, 90 * SECOND), context + " " + i);
      }
      assertTrue(done.await(90, TimeUnit.SECONDS));
      wire.close();
    }
  }

  @Test
  void shouldKeepTheOrderOfStoresOfOneThread() {
    for (int i = 1; i <= 20_000; i++) {
      mapping.writeInt(256 + (i & 63) * 4L, i);
      mapping.writeInt(512, i);
    }
    assertTrue(fabric.help(() -> (int) ValueLayout.JAVA_INT.varHandle().getAcquire(memory, 512L) == 20_000, 90 * SECOND));
    for (int i = 20_000 - 63; i <= 20_000; i++) {
      assertEquals(i, memory.get(ValueLayout.JAVA_INT, 256 + (i & 63) * 4L));
    }
    assertEquals(Status.OK, mapping.status());
  }

  @Test
  void shouldMoveLargeTransfersByDma() {
    MemorySegment source = arena.allocate(1 << 16);
    for (int i = 0; i < 1 << 16; i++) {
      source.set(ValueLayout.JAVA_BYTE, i, (byte) (i * 13 + (i >> 8)));
    }
    DmaQueue queue = near.endpoint(1).dma();
    for (int i = 0; i < 100; i++) {
      while (!queue.write(mapping, 0, source, 0, 1 << 16, i)) {
        fabric.help(() -> false, 10_000);
      }
    }
    assertTrue(fabric.help(() -> queue.done() == 100, 90 * SECOND));
    assertEquals(-1, source.mismatch(memory));
    assertEquals(0, queue.failed());
  }
}
