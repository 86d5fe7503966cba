package dev.weft.tripwire.device;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.fabric.link.LinkFaults;
import dev.weft.fabric.time.AppThreads;
import dev.weft.hca.verbs.ReceiveContext;
import dev.weft.tripwire.driver.PortEndpoint;
import dev.weft.tripwire.nic.DmaQueue;
import dev.weft.tripwire.nic.EventQueue;
import dev.weft.tripwire.nic.LocalAperture;
import dev.weft.tripwire.nic.RemoteAperture;
import dev.weft.tripwire.nic.Rights;
import dev.weft.tripwire.nic.Status;
import dev.weft.tripwire.nic.Tripwire;
import dev.weft.tripwire.nic.Watch;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** DMA queues, endpoints and event queues in virtual time. */
@Tag("simulation")
class QueuesTest {
  private final VirtualPair pair = new VirtualPair(7);
  private final MemorySegment memory = pair.memory(1 << 20);
  private final LocalAperture aperture = pair.far.export(memory);
  private final RemoteAperture mapping = pair.near.map(aperture.descriptor(Rights.ALL));

  @AfterEach
  void close() {
    pair.close();
  }

  @Test
  void shouldCallTheDriverOnlyWhenTheQueueWasEmpty() {
    DmaQueue queue = pair.near.endpoint(1).dma();
    List<Long> done = new ArrayList<>();
    queue.onDone((userData, status) -> done.add(userData));
    MemorySegment source = pair.memory(100_000).fill((byte) 3);
    for (int i = 0; i < 10; i++) {
      assertTrue(queue.write(mapping, i * 100_000L, source, 0, 100_000, i));
    }
    pair.run();
    assertEquals(10, queue.done());
    assertEquals(0, queue.failed());
    assertEquals(1, pair.near.inspect().counters().driverCalls());
    assertEquals(-1, memory.asSlice(900_000, 100_000).mismatch(source));
    assertEquals(List.of(0L, 1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L, 9L), done);
  }

  @Test
  void shouldServeEndpointsInTurn() {
    try (VirtualPair narrow = new VirtualPair(8, LinkFaults.NONE, "weft.fabric.switch.input-buffer-packets = 4")) {
      RemoteAperture there = narrow.near.map(narrow.far.export(narrow.memory(1 << 14)).descriptor(Rights.WRITE));
      MemorySegment source = narrow.memory(1 << 14);
      List<Integer> order = new ArrayList<>();
      for (int port = 1; port <= 3; port++) {
        int id = port;
        DmaQueue queue = narrow.near.endpoint(port).dma().onDone((userData, status) -> order.add(id));
        for (int i = 0; i < 4; i++) {
          queue.write(there, 0, source, 0, 1 << 14, i);
        }
      }
      narrow.run();
      assertEquals(12, order.size());
      assertEquals(List.of(1, 2, 3), order.subList(9, 12).stream().sorted().toList(), "nobody is done long before the others");
    }
  }

  @Test
  void shouldTellWhenTheBytesOfATransferHaveLeft() {
    Tripwire left = pair.near.tripwire().set(mapping, Watch.WRITE, 4096 * 9, 8, true);
    left.arm();
    PortEndpoint endpoint = pair.near.endpoint(1);
    endpoint.dma().write(mapping, 0, pair.memory(50_000), 0, 50_000, 0);
    pair.run();
    assertTrue(left.take());
    assertEquals(1, left.counted());
  }

  @Test
  void shouldCarryMessagesBetweenEndpoints() {
    PortEndpoint client = pair.near.endpoint(0);
    PortEndpoint server = pair.far.endpoint(80);
    byte[] hello = new byte[PortEndpoint.MESSAGE_LENGTH];
    Arrays.fill(hello, (byte) 5);
    assertTrue(client.send(pair.near.lidOf("far"), 80, hello));
    pair.run();
    PortEndpoint.Message got = server.poll();
    assertArrayEquals(hello, got.bytes());
    assertEquals(client.port(), got.fromPort());
    assertNull(server.poll());
    server.send(got.fromLid(), got.fromPort(), new byte[] {1});
    client.send(pair.near.lidOf("far"), 81, hello);
    pair.run();
    assertEquals(1, client.poll().bytes()[0]);
    PortEndpoint.Message refused = client.poll();
    assertEquals(Status.NO_ENDPOINT, refused.status());
    assertEquals(81, refused.fromPort());
  }

  @Test
  void shouldRefuseMessagesThatFindNoRoom() {
    PortEndpoint client = pair.near.endpoint(0);
    PortEndpoint server = pair.far.endpoint(80);
    for (int i = 0; i < 65; i++) {
      client.send(pair.near.lidOf("far"), 80, new byte[] {(byte) i});
      pair.run();
    }
    assertEquals(Status.BUSY, client.poll().status());
    for (int i = 0; i < 64; i++) {
      assertEquals(i, server.poll().bytes()[0]);
    }
    assertNull(server.poll());
  }

  @Test
  void shouldOpenClosedEndpointsAgain() {
    PortEndpoint first = pair.near.endpoint(9);
    first.close();
    PortEndpoint second = pair.near.endpoint(10);
    assertSame(first, second);
    assertEquals(10, second.port());
  }

  @Test
  void shouldNotOpenAnEndpointAgainWhileItsTransfersAreUnderWay() {
    PortEndpoint first = pair.near.endpoint(9);
    List<Long> done = new ArrayList<>();
    assertTrue(first.dma().write(mapping, 0, pair.memory(100_000), 0, 100_000, 77));
    assertTrue(pair.fabric.system().runUntil(() -> first.dma().waiting() == 0, 1_000_000_000L));
    assertEquals(0, first.dma().done(), "under way");
    first.close();
    PortEndpoint second = pair.near.endpoint(10);
    second.dma().onDone((userData, status) -> done.add(userData));
    pair.run();
    assertEquals(1, first.dma().done());
    assertEquals(List.of(), done);
    assertEquals(0, second.dma().done());
    second.close();
    assertSame(second, pair.near.endpoint(11));
  }

  @Test
  void shouldGoOnWhenTheHandlerOfATransferFails() {
    DmaQueue queue = pair.near.endpoint(1).dma();
    queue.onDone((userData, status) -> {
      throw new IllegalStateException("as an application may");
    });
    MemorySegment source = pair.memory(8192).fill((byte) 3);
    assertTrue(queue.write(mapping, 0, source, 0, 8192, 1));
    assertTrue(queue.write(mapping, 8192, source, 0, 8192, 2));
    pair.run();
    assertEquals(2, queue.done());
    mapping.writeInt(16_384, 5);
    pair.run();
    assertEquals(5, memory.get(ValueLayout.JAVA_INT, 16_384), "both NICs live");
  }

  private Tripwire wire(long offset) {
    Tripwire wire = pair.far.tripwire().set(aperture, Watch.WRITE, offset, 4, false);
    wire.arm();
    return wire;
  }

  @Test
  void shouldCollectEventsOfMany() {
    EventQueue queue = pair.far.eventQueue();
    List<Tripwire> wires = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      wires.add(wire(i * 64));
      queue.register(wires.get(i));
    }
    PortEndpoint endpoint = pair.far.endpoint(5);
    queue.register(endpoint);
    mapping.writeInt(64 * 17, 1);
    mapping.writeInt(64 * 3, 1);
    pair.near.endpoint(6).send(pair.far.lid(), 5, new byte[1]);
    pair.run();
    assertTrue(queue.poll());
    assertSame(wires.get(17), queue.source());
    assertTrue(queue.poll());
    assertSame(wires.get(3), queue.source());
    assertEquals(1, queue.count());
    assertTrue(queue.poll());
    assertSame(endpoint, queue.source());
    assertFalse(queue.poll());
    queue.unregister(wires.get(3));
    mapping.writeInt(64 * 3, 1);
    pair.run();
    assertFalse(queue.poll());
  }

  @Test
  void shouldTellOfAnOverflowAndLoseNothing() {
    EventQueue queue = pair.far.eventQueue(4);
    Tripwire first = wire(0);
    Tripwire second = wire(64);
    queue.register(first);
    queue.register(second);
    for (int i = 0; i < 5; i++) {
      mapping.writeInt(0, i);
      mapping.writeInt(64, i);
    }
    pair.run();
    long[] counts = new long[2];
    long overflowed = 0;
    for (int step = 0; step < 20; step++) {
      while (queue.poll()) {
        if (queue.isOverflow()) {
          overflowed += queue.count();
        } else {
          counts[queue.source() == first ? 0 : 1] += queue.count();
        }
      }
      pair.run();
    }
    assertArrayEquals(new long[] {5, 5}, counts);
    assertTrue(overflowed >= 2, "told of " + overflowed);
  }

  @Test
  void shouldArmAgainInsideTheHandler() {
    List<Integer> seen = new ArrayList<>();
    Tripwire wire = pair.far.tripwire().set(aperture, Watch.WRITE, 0, 4, true);
    wire.onFired((tripwire, firings) -> {
      seen.add(memory.get(ValueLayout.JAVA_INT, 0));
      tripwire.arm();
    }, ReceiveContext.ISR);
    wire.arm();
    for (int i = 1; i <= 5; i++) {
      mapping.writeInt(0, i);
      pair.run();
    }
    assertEquals(List.of(1, 2, 3, 4, 5), seen);
  }

  @Test
  void shouldWakeApplicationThreads() {
    Tripwire wire = pair.far.tripwire().set(aperture, Watch.WRITE, 0, 4, true);
    List<Integer> seen = new ArrayList<>();
    try (AppThreads threads = new AppThreads(pair.fabric.system())) {
      threads.start("receiver", me -> {
        for (int i = 0; i < 3; i++) {
          wire.arm();
          if (memory.get(ValueLayout.JAVA_INT, 0) != i + 1) {
            wire.await(me);
          }
          seen.add(memory.get(ValueLayout.JAVA_INT, 0));
        }
      });
      threads.start("sender", me -> {
        for (int i = 1; i <= 3; i++) {
          me.compute(100_000);
          mapping.writeInt(0, i);
        }
      });
      threads.runToEnd(1_000_000_000L);
    }
    assertEquals(List.of(1, 2, 3), seen);
  }
}
