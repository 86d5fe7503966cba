package dev.weft.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.fabric.rules.Waits;
import dev.weft.hca.node.ClusterFabric;
import dev.weft.hca.node.Node;
import dev.weft.tripwire.device.NicDevice;
import dev.weft.tripwire.nic.Descriptor;
import dev.weft.tripwire.nic.DmaQueue;
import dev.weft.tripwire.nic.Endpoint;
import dev.weft.tripwire.nic.LocalAperture;
import dev.weft.tripwire.nic.Nic;
import dev.weft.tripwire.nic.NicException;
import dev.weft.tripwire.nic.RemoteAperture;
import dev.weft.tripwire.nic.Rights;
import dev.weft.tripwire.nic.Status;
import dev.weft.tripwire.nic.Tripwire;
import dev.weft.tripwire.nic.Watch;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** CLAN NICs in JVMs of their own: bursts cross a trunk, and a NIC that is gone is told. */
@Tag("jvms")
@Timeout(600)
class NicBetweenJvmsTest {
  private static final long SECOND = 1_000_000_000L;

  private final Arena arena = Arena.ofShared();
  private Jvms jvms;
  private ClusterFabric fabric;
  private Nic nic;
  private int nextPort = 100;

  /** Memory of a peer, and what the peer writes here. */
  private final class Session {
    final Endpoint endpoint = nic.endpoint(nextPort++);
    final MemorySegment answers = arena.allocate(16, 8);
    final LocalAperture own = nic.export(answers);
    final RemoteAperture memory;

    Session(String peer) throws InterruptedException {
      int lid = nic.reach(peer);
      endpoint.send(lid, NicPeerMain.PORT, own.descriptor(Rights.WRITE).toBytes());
      Endpoint.Message reply = Waits.seen("an answer of " + peer, endpoint::poll, Objects::nonNull);
      assertEquals(Status.OK, reply.status());
      memory = nic.map(Descriptor.fromBytes(reply.bytes(), 0));
    }

    long word(long offset) {
      return (long) ValueLayout.JAVA_LONG.varHandle().getAcquire(answers, offset);
    }
  }

  private void start(String farDriver, String... names) throws Exception {
    jvms = new Jvms();
    fabric = jvms.fabric();
    for (String name : names) {
      jvms.startElsewhere(NicPeerMain.class, farDriver, name);
    }
    Node node = fabric.addNode("near");
    nic = NicDevice.start(fabric, node);
  }

  @AfterEach
  void stop() throws Exception {
    jvms.close();
    arena.close();
  }

  private void await(String what, BooleanSupplier condition) {
    assertTrue(fabric.help(condition, Waits.PATIENCE_S * SECOND), () -> "waited " + Waits.PATIENCE_S + " s for " + what + "; " + nic.inspect());
  }

  @Test
  void shouldFireTripwiresOfAnotherJvm() throws Exception {
    start("driver", "far");
    callsAndTransfers(2_000, 200);
  }

  /** Two media drivers, as on two hosts: shorter packets, parity and ICRC. */
  @Test
  void shouldFireTripwiresAcrossUdp() throws Exception {
    start("other-driver", "far");
    callsAndTransfers(200, 50);
  }

  private void callsAndTransfers(int calls, int transfers) throws InterruptedException {
    Session far = new Session("far");
    Tripwire answered = nic.tripwire().set(far.own, Watch.WRITE, 0, Long.BYTES, true);
    for (long i = 1; i <= calls; i++) {
      answered.arm();
      far.memory.writeLong(NicPeerMain.CALL, i);
      assertTrue(answered.await(i % 10 == 0 ? 0 : 20_000, Waits.PATIENCE_S * SECOND), "call " + i);
      assertEquals(i, far.word(0));
    }
    assertEquals(calls, answered.counted());
    long seed = 20261121;
    SplittableRandom random = new SplittableRandom(seed);
    int room = NicPeerMain.MEMORY_BYTES - (int) NicPeerMain.BUFFER;
    byte[] expected = new byte[room];
    MemorySegment source = arena.allocate(room);
    DmaQueue dma = far.endpoint.dma();
    for (int i = 1; i <= transfers; i++) {
      int length = 1 + random.nextInt(i % 3 == 0 ? 200_000 : 5_000);
      int offset = random.nextInt(room - length);
      byte[] bytes = new byte[length];
      random.nextBytes(bytes);
      System.arraycopy(bytes, 0, expected, offset, length);
      if (i % 2 == 0) {
        MemorySegment.copy(bytes, 0, source, ValueLayout.JAVA_BYTE, 0, length);
        assertTrue(dma.write(far.memory, NicPeerMain.BUFFER + offset, source, 0, length, i));
      } else {
        far.memory.write(NicPeerMain.BUFFER + offset, MemorySegment.ofArray(bytes), 0, length);
      }
      int written = i;
      await("transfer " + i + " of seed " + seed + " to be told", () -> far.word(8) >= written);
    }
    assertEquals(transfers, far.word(8), "once for each write, however it was cut");
    assertEquals(-1, read(far.memory, room).mismatch(MemorySegment.ofArray(expected)), "seed " + seed);
    assertEquals(Status.OK, far.memory.status());
    assertEquals(0, nic.inspect().counters().gaps());
  }

  /** Four processes that compute. */
  private static List<Process> hogs() throws IOException {
    List<Process> hogs = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      String whileThisJvmLives = "while kill -0 " + ProcessHandle.current().pid() + "; do i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done; done";
      hogs.add(new ProcessBuilder("sh", "-c", whileThisJvmLives)
          .redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD).start());
    }
    return hogs;
  }

  /** The shipped settings, a busy machine, and a peer that is paused while stores and DMA go on: all arrives, and every request ends OK. */
  @Test
  void shouldLoseNothingWhenThePeersJvmIsPaused() throws Exception {
    start("driver", "far");
    Session far = new Session("far");
    DmaQueue dma = far.endpoint.dma();
    List<Status> failed = new CopyOnWriteArrayList<>();
    dma.onDone((number, status) -> {
      if (status != Status.OK) {
        failed.add(status);
      }
    });
    MemorySegment source = arena.allocate(1 << 16);
    List<Process> hogs = hogs();
    try {
      long word = 0;
      long asked = 0;
      for (int pauseMs : new int[] {300, 3_000, 9_000}) {
        source.fill((byte) pauseMs);
        Process pause = jvms.peers().getFirst().pauseFor(pauseMs);
        while (pause.isAlive()) { // More than the network holds.
          asked += dma.write(far.memory, NicPeerMain.BUFFER + (asked % 8 << 16), source, 0, 1 << 16, asked) ? 1 : 0;
          Thread.sleep(1);
        }
        far.memory.writeLong(NicPeerMain.CALL, ++word);
        long last = word;
        await("the word after a pause of " + pauseMs + " ms; " + far.memory, () -> far.word(0) == last || far.memory.status() != Status.OK);
        long requests = asked;
        await("every DMA request to end", () -> dma.done() == requests);
        assertEquals(Status.OK, far.memory.status(), far.memory::cause);
        assertEquals(List.of(), failed);
      }
      long all = asked;
      assertTrue(all > 100, "requests of 64 KiB: " + all);
      await("the Tripwire to have told of " + all + " requests", () -> far.word(8) == all);
      assertEquals(0, nic.inspect().counters().gaps());
    } finally {
      hogs.forEach(Process::destroyForcibly);
    }
  }

  private MemorySegment read(RemoteAperture memory, int length) {
    MemorySegment target = arena.allocate(length);
    AtomicReference<Status> done = new AtomicReference<>();
    memory.read(NicPeerMain.BUFFER, target, 0, length, done::set);
    await("a read", () -> done.get() != null);
    assertEquals(Status.OK, done.get());
    return target;
  }

  @Test
  void shouldTellAMapperThatTheOwnersJvmWasKilled() throws Exception {
    start("driver", "left", "right");
    Members.awaitUp(fabric, 3); // So that the rest is the majority.
    Session left = new Session("left");
    Session idle = new Session("left");
    Session right = new Session("right");
    List<Integer> broken = new CopyOnWriteArrayList<>();
    nic.onBroken(broken::add);
    int lid = nic.lidOf("left");
    jvms.peers().getFirst().kill();
    MemorySegment source = arena.allocate(1 << 16);
    DmaQueue dma = left.endpoint.dma();
    long asked = 0;
    long end = System.nanoTime() + Waits.PATIENCE_S * SECOND;
    // It goes on writing, as one that has not noticed; stores are answered by nobody, so only the mapping tells.
    while (left.memory.status() == Status.OK) {
      assertTrue(System.nanoTime() < end, () -> "not told; " + nic.inspect());
      try {
        left.memory.writeLong(64, 1);
        asked += dma.write(left.memory, NicPeerMain.BUFFER, source, 0, 1 << 16, asked) ? 1 : 0;
      } catch (NicException told) {
        assertEquals(Status.PEER_LOST, told.status());
      }
      Thread.sleep(1);
      right.memory.writeLong(64, 1);
    }
    assertEquals(Status.PEER_LOST, left.memory.status());
    assertEquals(Status.PEER_LOST, idle.memory.status(), "a mapping that nothing was written through");
    await("the listener to be told", () -> broken.contains(lid));
    long requests = asked;
    await("every DMA request to end", () -> dma.done() == requests);
    assertEquals(Status.PEER_LOST, assertThrows(NicException.class, () -> left.memory.writeLong(64, 2)).status());
    AtomicReference<Status> read = new AtomicReference<>();
    right.memory.read(NicPeerMain.CALL, source, 0, 8, read::set);
    await("a read of the other peer", () -> read.get() != null);
    assertEquals(Status.OK, read.get(), "the rest goes on");
    assertEquals(Status.OK, right.memory.status());
  }

  @Test
  void shouldTellAMapperThatTheOwnersNicWasClosed() throws Exception {
    start("driver", "far");
    Session far = new Session("far");
    int before = nic.lidOf("far");
    far.endpoint.send(before, NicPeerMain.PORT, new byte[] {NicPeerMain.RENEW});
    await("the mapping to fail", () -> far.memory.status() != Status.OK);
    assertEquals(Status.PEER_LOST, far.memory.status());
    await("the new NIC", () -> nic.lidOf("far") != 0 && nic.lidOf("far") != before);
    Session again = new Session("far");
    again.memory.writeLong(NicPeerMain.CALL, 5);
    await("the new NIC's Tripwire", () -> again.word(0) == 5);
    assertNotEquals(before, nic.lidOf("far"));
    nic.close();
    assertEquals(Status.INVALID, again.memory.status());
    assertEquals(Status.INVALID, assertThrows(NicException.class, () -> nic.export(arena.allocate(8))).status());
    nic.close();
    again.own.revoke();
  }
}
