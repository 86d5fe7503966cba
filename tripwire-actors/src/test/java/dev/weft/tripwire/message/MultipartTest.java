package dev.weft.tripwire.message;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.typesafe.config.ConfigFactory;
import dev.weft.fabric.link.LinkFaults;
import dev.weft.fabric.link.LinkProfile;
import dev.weft.fabric.seeds.Seeds;
import dev.weft.fabric.time.AppThread;
import dev.weft.fabric.time.AppThreads;
import dev.weft.hca.node.LocalFabric;
import dev.weft.hca.node.VirtualFabric;
import dev.weft.tripwire.device.NicDevice;
import dev.weft.tripwire.nic.Nic;
import dev.weft.tripwire.nic.Tripwire;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Messages of several parts, in both clocks. */
@Tag("simulation")
@Timeout(240)
class MultipartTest {
  private static final long SECOND = 1_000_000_000L;
  private static final int BODY = 1 << 20;
  /** What waking a process and reading a header cost in the test of overlap. */
  private static final long WAKE_NS = 300_000;

  private final Arena arena = Arena.ofShared();

  @AfterEach
  void close() {
    arena.close();
  }

  private MemorySegment filled(int bytes, int with) {
    return arena.allocate(bytes, 8).fill((byte) with);
  }

  private static Nic nic(VirtualFabric fabric, String name) {
    Nic nic = NicDevice.start(fabric, fabric.addNode(name));
    assertTrue(fabric.system().runUntil(() -> nic.lid() != 0, SECOND));
    return nic;
  }

  private static VirtualFabric fabric(long seed) {
    return new VirtualFabric(seed, new LinkProfile(1_000, 10_000_000_000L), LinkFaults.NONE, ConfigFactory.empty());
  }

  private static void until(AppThread me, Tripwire wire, BooleanSupplier condition) {
    while (!condition.getAsBoolean()) {
      wire.arm();
      if (condition.getAsBoolean()) {
        wire.disarm();
        wire.take();
      } else {
        wire.await(me);
      }
    }
  }

  @Test
  void shouldDeliverHeaderAndPartsInOrderForManySeeds() {
    Seeds.of(MultipartTest.class, "multipart", 1, 20, 10).run(seed -> {
      try (VirtualFabric fabric = fabric(seed);
          MultipartSender sender = new MultipartSender(nic(fabric, "near"), 4, 64);
          MultipartReceiver receiver = new MultipartReceiver(nic(fabric, "far"), 4, 64, 20_000);
          AppThreads threads = new AppThreads(fabric.system())) {
        sender.connect(receiver.descriptor());
        receiver.connect(sender.descriptor());
        threads.start("sender", me -> {
          for (int i = 1; i <= 20; i++) {
            int[] lengths = java.util.stream.IntStream.range(0, i % 5).map(part -> 100 + part * 1_111).toArray();
            MemorySegment header = filled(i, i);
            until(me, sender.ready(), sender::isReady);
            assertTrue(sender.tryBegin(header, 0, i, lengths));
            for (int part = 0; part < lengths.length; part++) {
              assertFalse(sender.tryBegin(header, 0, i), "the last message is not sent");
              assertTrue(sender.tryPart(filled(lengths[part], i + part), 0));
              me.compute(700);
            }
          }
        });
        threads.start("receiver", me -> {
          for (int i = 1; i <= 20; i++) {
            until(me, receiver.ready(), () -> receiver.header() != null);
            assertEquals(-1, receiver.header().mismatch(filled(i, i)));
            assertEquals(i % 5, receiver.partCount());
            for (int part = 0; part < i % 5; part++) {
              int index = part;
              until(me, receiver.bodyReady(), () -> receiver.part(index) != null);
              assertEquals(-1, receiver.part(part).mismatch(filled(100 + part * 1_111, i + part)));
            }
            receiver.release();
            assertNull(receiver.header());
          }
        });
        threads.runToEnd(SECOND);
      }
    });
  }

  @Test
  void shouldWorkOnTheHeaderWhileTheBodyIsOnItsWay() {
    long whole = endNs(false);
    long overlapped = endNs(true);
    assertEquals(whole - WAKE_NS, overlapped, 5_000, "the body takes longer than waking up and the header");
  }

  /** Virtual time at which a receiver has a message and its header dealt with. */
  private long endNs(boolean early) {
    try (VirtualFabric fabric = fabric(5);
        MultipartSender sender = new MultipartSender(nic(fabric, "near"), 1, 64);
        MultipartReceiver receiver = new MultipartReceiver(nic(fabric, "far"), 1, 64, BODY);
        AppThreads threads = new AppThreads(fabric.system())) {
      sender.connect(receiver.descriptor());
      receiver.connect(sender.descriptor());
      long[] endNs = new long[1];
      threads.start("sender", me -> {
        assertTrue(sender.tryBegin(filled(64, 1), 0, 64, BODY));
        assertTrue(sender.tryPart(filled(BODY, 2), 0));
      });
      threads.start("receiver", me -> {
        until(me, early ? receiver.ready() : receiver.bodyReady(), () -> (early ? receiver.header() : receiver.part(0)) != null);
        assertEquals(early, receiver.part(0) == null, "the body is on its way");
        me.compute(WAKE_NS);
        until(me, receiver.bodyReady(), () -> receiver.part(0) != null);
        endNs[0] = me.nowNs();
      });
      threads.runToEnd(SECOND);
      return endNs[0];
    }
  }

  @Test
  void shouldRefuseWhatDoesNotFit() {
    try (VirtualFabric fabric = fabric(1);
        MultipartSender sender = new MultipartSender(nic(fabric, "near"), 2, 16);
        MultipartReceiver receiver = new MultipartReceiver(nic(fabric, "far"), 2, 16, 100)) {
      sender.connect(receiver.descriptor());
      receiver.connect(sender.descriptor());
      MemorySegment bytes = filled(200, 1);
      assertThrows(IllegalArgumentException.class, () -> sender.tryBegin(bytes, 0, 17));
      assertThrows(IllegalArgumentException.class, () -> sender.tryBegin(bytes, 0, 8, 41, 53));
      assertThrows(IllegalArgumentException.class, () -> sender.tryBegin(bytes, 0, 8, 1, 1, 1));
      assertThrows(IllegalStateException.class, () -> sender.tryPart(bytes, 0));
      assertTrue(sender.tryBegin(bytes, 0, 8, 41, 52));
      fabric.system().runFor(SECOND);
      assertThrows(IllegalStateException.class, receiver::release, "no part has come");
    }
  }

  @Test
  void shouldDeliverPartsInRealTime() throws InterruptedException {
    try (LocalFabric fabric = LocalFabric.start(ConfigFactory.empty());
        MultipartSender sender = new MultipartSender(NicDevice.start(fabric, fabric.addNode("near")), 2, 64);
        MultipartReceiver receiver = new MultipartReceiver(NicDevice.start(fabric, fabric.addNode("far")), 2, 64, 100_000)) {
      sender.connect(receiver.descriptor());
      receiver.connect(sender.descriptor());
      int[] received = new int[1];
      Thread reader = Thread.ofPlatform().start(() -> {
        for (int i = 1; i <= 500; i++) {
          await(receiver.ready(), () -> receiver.header() != null);
          assertEquals(i, receiver.header().get(ValueLayout.JAVA_INT_UNALIGNED, 0));
          await(receiver.bodyReady(), () -> receiver.part(1) != null);
          assertEquals(-1, receiver.part(0).mismatch(filled(i * 100, i)));
          assertEquals(-1, receiver.part(1).mismatch(filled(8, -i)));
          receiver.release();
          received[0] = i;
        }
      });
      for (int i = 1; i <= 500; i++) {
        MemorySegment header = arena.allocateFrom(ValueLayout.JAVA_INT, i);
        await(sender.ready(), sender::isReady);
        assertTrue(sender.tryBegin(header, 0, 4, i * 100, 8));
        assertTrue(sender.tryPart(filled(i * 100, i), 0));
        assertTrue(sender.tryPart(filled(8, -i), 0));
      }
      reader.join(60_000);
      assertEquals(500, received[0]);
    }
  }

  private static void await(Tripwire wire, BooleanSupplier condition) {
    while (!condition.getAsBoolean()) {
      wire.arm();
      if (!condition.getAsBoolean()) {
        assertTrue(wire.await(20_000, 20 * SECOND));
      }
      wire.disarm();
      wire.take();
    }
  }
}
