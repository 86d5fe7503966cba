package dev.weft.tripwire.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.typesafe.config.ConfigFactory;
import dev.weft.fabric.link.LinkFaults;
import dev.weft.hca.node.LocalFabric;
import dev.weft.tripwire.driver.MappedAperture;
import dev.weft.tripwire.nic.Descriptor;
import dev.weft.tripwire.nic.DmaQueue;
import dev.weft.tripwire.nic.LocalAperture;
import dev.weft.tripwire.nic.Nic;
import dev.weft.tripwire.nic.NicException;
import dev.weft.tripwire.nic.RemoteAperture;
import dev.weft.tripwire.nic.Rights;
import dev.weft.tripwire.nic.Status;
import dev.weft.tripwire.nic.Tripwire;
import dev.weft.tripwire.nic.Watch;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** One write that the switch delivers to several NICs. */
@Tag("simulation")
@Timeout(180)
class MulticastWriteTest {
  private static final int BYTES = 1 << 14;

  /** A sender, and members with an aperture and a Tripwire each. */
  private static final class Group implements AutoCloseable {
    final VirtualPair pair;
    final Descriptor descriptor;
    final MappedAperture mapping;
    final List<MemorySegment> memories = new ArrayList<>();
    final List<LocalAperture> apertures = new ArrayList<>();
    final List<Tripwire> wires = new ArrayList<>();
    final List<NicDevice> nics = new ArrayList<>();

    Group(int members, String settings) {
      pair = new VirtualPair(21, LinkFaults.NONE, settings);
      descriptor = Descriptor.fromBytes(done(pair.near.multicast().open(BYTES)).toBytes(), 0);
      nics.add(pair.far);
      for (int i = 1; i < members; i++) {
        nics.add(pair.addNic("member-" + i));
      }
      nics.forEach(this::join);
      mapping = pair.near.map(descriptor);
    }

    <T> T done(CompletionStage<T> stage) {
      CompletableFuture<T> future = stage.toCompletableFuture();
      assertTrue(pair.fabric.system().runUntil(future::isDone, 1_000_000_000L));
      return future.join();
    }

    void join(NicDevice nic) {
      MemorySegment memory = pair.memory(BYTES);
      LocalAperture aperture = done(nic.multicast().join(descriptor, memory));
      memories.add(memory);
      apertures.add(aperture);
      Tripwire wire = nic.tripwire().set(aperture, Watch.WRITE, 5000, 4, false);
      wire.arm();
      wires.add(wire);
    }

    int word(int member, long offset) {
      return memories.get(member).get(ValueLayout.JAVA_INT, offset);
    }

    @Override
    public void close() {
      pair.close();
    }
  }

  @Test
  void shouldPlaceEveryStoreAtEveryMemberAndTellItOnce() {
    try (Group g = new Group(3, "weft.tripwire.burst-max = 1024")) {
      long before = g.pair.near.inspect().counters().packetsSent();
      MemorySegment data = g.pair.memory(9000).fill((byte) 7);
      assertTrue(g.mapping.write(100, data, 0, 9000));
      assertTrue(g.mapping.writeInt(12, 42));
      g.pair.run();
      assertEquals(1 + 9 + 1, g.pair.near.inspect().counters().packetsSent() - before, "the switch copies, not the sender");
      for (int member = 0; member < 3; member++) {
        assertEquals(42, g.word(member, 12));
        assertEquals(-1, g.memories.get(member).asSlice(100, 9000).mismatch(data));
        assertEquals(1, g.wires.get(member).counted());
      }
    }
  }

  @Test
  void shouldTellTheSenderOfADmaWhenAllMembersHaveItsBytes() {
    try (Group g = new Group(4, "")) {
      MemorySegment source = g.pair.memory(BYTES).fill((byte) 3);
      Tripwire left = g.pair.near.tripwire().set(g.mapping, Watch.WRITE, 0, 4, false);
      left.arm();
      DmaQueue dma = g.pair.near.endpoint(0).dma();
      assertTrue(dma.write(g.mapping, 0, source, 0, BYTES, 1));
      g.pair.run();
      assertEquals(1, dma.done());
      assertEquals(0, dma.failed());
      assertEquals(1, left.counted());
      for (MemorySegment memory : g.memories) {
        assertEquals(-1, memory.mismatch(source));
      }
    }
  }

  @Test
  void shouldTakeUpTheFlowWhereAMemberJoinsAndEndWhereItLeaves() {
    try (Group g = new Group(1, "")) {
      g.mapping.writeInt(0, 1);
      g.pair.run();
      NicDevice late = g.pair.addNic("late");
      g.join(late);
      g.mapping.writeInt(4, 2);
      g.pair.run();
      assertEquals(0, g.word(1, 0), "was written before it joined");
      assertEquals(2, g.word(1, 4));
      g.apertures.getFirst().revoke();
      g.mapping.writeInt(8, 3);
      g.pair.run();
      assertEquals(0, g.word(0, 8));
      assertEquals(3, g.word(1, 8));
      assertEquals(Status.OK, g.mapping.status());
      assertEquals(0, late.inspect().counters().gaps());
    }
  }

  @Test
  void shouldTakeNothingWithoutTheKeyAndNothingThatAMemberProtects() {
    try (Group g = new Group(2, "")) {
      Descriptor d = g.descriptor;
      MappedAperture forged = g.pair.near.map(Descriptor.of(d.lid(), d.aperture(), d.length(), Rights.WRITE, d.key() + 1));
      forged.writeInt(0, 1);
      g.apertures.getFirst().protect(0, 4096, Rights.READ);
      g.mapping.writeInt(4, 2);
      g.mapping.writeInt(4096, 3);
      g.pair.run();
      assertEquals(0, g.word(0, 0));
      assertEquals(0, g.word(1, 0));
      assertEquals(0, g.word(0, 4), "protected there only");
      assertEquals(2, g.word(1, 4));
      assertEquals(3, g.word(0, 4096));
      assertEquals(Status.OK, g.mapping.status(), "what one member does to its aperture is not told to who writes to all");
    }
  }

  @Test
  void shouldBreakAtAGapUntilItIsMappedAgain() {
    try (Group g = new Group(2, "")) {
      g.mapping.writeInt(0, 1);
      g.pair.run();
      List<Integer> broken = new ArrayList<>();
      g.nics.get(1).onBroken(broken::add);
      g.pair.fabric.link("member-1/nic").setFaults(new LinkFaults(1, 0, 0, 0, 0));
      g.mapping.writeInt(4, 2);
      g.pair.run();
      g.pair.fabric.link("member-1/nic").setFaults(LinkFaults.NONE);
      g.mapping.writeInt(8, 3);
      g.pair.run();
      assertEquals(3, g.word(0, 8));
      assertEquals(0, g.word(1, 8), "nothing after what was lost");
      assertEquals(List.of(g.pair.near.lid()), broken);
      assertEquals(Status.BROKEN, g.mapping.status());
      assertThrows(NicException.class, () -> g.mapping.writeInt(12, 4));
      MappedAperture again = g.pair.near.map(g.descriptor);
      again.writeInt(16, 5);
      g.pair.run();
      assertEquals(5, g.word(0, 16));
      assertEquals(5, g.word(1, 16));
    }
  }

  private static void loseOne(Group g) {
    g.pair.near.core().flows.to(g.descriptor.lid()).position++;
  }

  /** What a member says of the group's flow is not lost with what it writes to the sender itself. */
  @Test
  void shouldTellTheSenderThoughTheMembersFlowToHimIsBroken() {
    try (Group g = new Group(1, "")) {
      MappedAperture back = g.pair.far.map(g.pair.near.export(g.pair.memory(64)).descriptor(Rights.WRITE));
      back.writeInt(0, 1);
      g.mapping.writeInt(0, 1);
      g.pair.run();
      g.pair.far.core().flows.to(g.pair.near.lid()).position++;
      loseOne(g);
      g.mapping.writeInt(4, 2);
      g.pair.run();
      assertEquals(Status.BROKEN, g.mapping.status());
    }
  }

  @Test
  void shouldTellTheSenderAgainWhenThatWasLost() {
    try (Group g = new Group(1, "")) {
      g.mapping.writeInt(0, 1);
      g.pair.run();
      loseOne(g);
      g.mapping.writeInt(4, 2);
      assertTrue(g.pair.fabric.system().runUntil(() -> g.pair.far.core().counters.gaps > 0, 1_000_000));
      g.pair.fabric.link("near/nic").setPartitioned(true); // While it is on its way.
      g.pair.fabric.system().runFor(Flows.REPEAT_NS);
      g.pair.fabric.link("near/nic").setPartitioned(false);
      assertEquals(Status.OK, g.mapping.status());
      g.mapping.writeInt(8, 3);
      g.pair.run();
      assertEquals(Status.BROKEN, g.mapping.status());
    }
  }

  /** A member of the group says that it has not taken what was at that position. */
  private static void broken(Group g, long key, int at) {
    g.pair.near.core().multicast.onBroken(g.descriptor.lid(), key, at, Status.BROKEN);
  }

  @Test
  void shouldNotBreakAnewForWhatWasSentBeforeItWasMappedAgain() {
    try (Group g = new Group(1, "")) {
      g.mapping.writeInt(0, 1);
      g.pair.run();
      Flows.Outgoing flow = g.pair.near.core().flows.to(g.descriptor.lid());
      int old = flow.position - 4;
      broken(g, g.descriptor.key(), old);
      assertEquals(Status.BROKEN, g.mapping.status());
      MappedAperture again = g.pair.near.map(g.descriptor);
      again.writeInt(4, 2);
      g.pair.run();
      broken(g, g.descriptor.key(), old);
      assertEquals(Status.OK, again.status(), "another member says it late");
      flow.advance(Integer.MAX_VALUE); // Positions go round.
      flow.advance(Integer.MAX_VALUE);
      broken(g, g.descriptor.key(), flow.position - 4);
      assertEquals(Status.BROKEN, again.status());
    }
  }

  @Test
  void shouldBeginAnewWhenItBrokeWhileNothingWasMapped() {
    try (Group g = new Group(1, "")) {
      g.mapping.writeInt(0, 1);
      g.pair.run();
      Flows.Outgoing flow = g.pair.near.core().flows.to(g.descriptor.lid());
      broken(g, g.descriptor.key() + 1, flow.position - 4);
      assertTrue(flow.open, "nobody breaks it without the key");
      g.mapping.unmap();
      g.pair.run();
      broken(g, g.descriptor.key(), flow.position - 4);
      assertFalse(flow.open);
    }
  }

  @Test
  void shouldKnowNoFlowOfALidThatAPacketNames() {
    try (Group g = new Group(1, "")) {
      Flows flows = g.pair.near.core().flows;
      MappedAperture toFar = g.pair.near.map(g.pair.far.export(g.pair.memory(64)).descriptor(Rights.WRITE));
      toFar.writeInt(0, 1);
      g.pair.run();
      for (int lid : new int[] {g.pair.far.lid(), g.descriptor.lid() + 1, 77}) {
        g.pair.near.core().multicast.onBroken(lid, toFar.key, 0, Status.BROKEN);
      }
      assertTrue(flows.to(g.pair.far.lid()).open);
      assertNull(flows.find(g.descriptor.lid() + 1));
      assertNull(flows.find(77));
    }
  }

  /** The first packet of the new flow is lost for one that was not broken; what follows must not look like a duplicate. */
  @Test
  void shouldNoticeThatAReopenedFlowToAGroupBeganWithoutIt() {
    try (Group g = new Group(1, "")) {
      g.mapping.writeInt(0, 1);
      g.pair.run();
      Flows.Outgoing flow = g.pair.near.core().flows.to(g.descriptor.lid());
      for (int i = 0; i < 8; i++) {
        broken(g, g.descriptor.key(), flow.position - 1); // Another member says so.
        assertFalse(flow.open);
        MappedAperture again = g.pair.near.map(g.descriptor);
        g.pair.near.core().open(flow);
        g.pair.fabric.link("far/nic").setPartitioned(true);
        g.pair.run();
        g.pair.fabric.link("far/nic").setPartitioned(false);
        again.writeInt(8, 3);
        g.pair.run();
        assertEquals(Status.BROKEN, again.status());
        g.pair.near.map(g.descriptor).writeInt(8, 3);
        g.pair.run();
        assertEquals(3, g.word(0, 8));
      }
    }
  }

  @Test
  void shouldBeWritesOnlyAndRefuseWhoDoesNotFit() {
    try (Group g = new Group(1, "")) {
      assertThrows(NicException.class, () -> g.mapping.read(0, g.pair.memory(8), 0, 8, status -> { }));
      assertThrows(NicException.class, () -> g.pair.near.multicast().join(g.descriptor, g.pair.memory(8)), "too short");
      assertThrows(NicException.class, () -> g.pair.far.multicast().join(g.descriptor, g.pair.memory(BYTES)), "is a member");
      g.apertures.getFirst().revoke();
      g.pair.near.multicast().close(g.descriptor);
      CompletableFuture<LocalAperture> late = g.pair.far.multicast().join(g.descriptor, g.pair.memory(BYTES)).toCompletableFuture();
      assertTrue(g.pair.fabric.system().runUntil(late::isDone, 1_000_000_000L));
      assertInstanceOf(NicException.class, assertThrows(CompletionException.class, late::join).getCause());
      assertTrue(g.pair.far.inspect().apertures().isEmpty());
    }
  }

  @Test
  void shouldReachEveryMemberInRealTime() throws Exception {
    try (Arena arena = Arena.ofShared(); LocalFabric fabric = LocalFabric.start(ConfigFactory.empty())) {
      Nic sender = NicDevice.start(fabric, fabric.addNode("sender"));
      Descriptor group = sender.multicast().open(BYTES).toCompletableFuture().get(90, TimeUnit.SECONDS);
      List<MemorySegment> memories = new ArrayList<>();
      List<Tripwire> wires = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        Nic member = NicDevice.start(fabric, fabric.addNode("member-" + i));
        MemorySegment memory = arena.allocate(BYTES, 8);
        LocalAperture aperture = member.multicast().join(group, memory).toCompletableFuture().get(90, TimeUnit.SECONDS);
        Tripwire last = member.tripwire().set(aperture, Watch.WRITE, BYTES - 4, 4, true);
        last.arm();
        memories.add(memory);
        wires.add(last);
      }
      RemoteAperture mapping = sender.map(group);
      for (int i = 0; i < BYTES / 4; i++) {
        assertTrue(mapping.writeInt(i * 4L, i));
      }
      for (int member = 0; member < 3; member++) {
        assertTrue(wires.get(member).await(0, 10_000_000_000L));
        for (int i = 0; i < BYTES / 4; i++) {
          assertEquals(i, memories.get(member).get(ValueLayout.JAVA_INT, i * 4L), "all before the last");
        }
      }
      MemorySegment source = arena.allocate(BYTES, 8).fill((byte) 9);
      DmaQueue dma = sender.endpoint(0).dma();
      wires.forEach(Tripwire::arm);
      assertTrue(dma.write(mapping, 0, source, 0, BYTES, 0));
      for (int member = 0; member < 3; member++) {
        assertTrue(wires.get(member).await(0, 10_000_000_000L));
        assertEquals(-1, memories.get(member).mismatch(source));
      }
      assertFalse(mapping.descriptor().rights() == Rights.ALL);
    }
  }
}
