package dev.weft.tripwire.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.fabric.link.LinkFaults;
import dev.weft.tripwire.driver.MappedAperture;
import dev.weft.tripwire.nic.Descriptor;
import dev.weft.tripwire.nic.LocalAperture;
import dev.weft.tripwire.nic.Rights;
import dev.weft.tripwire.nic.Status;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What is lost on the way is noticed, on both sides, and nothing that was stored after it is seen (seed 003 section 2.1). */
@Tag("simulation")
@Timeout(180)
class LossTest {
  private static final int WORDS = 1000;
  private static final String FEW_CREDITS = """
      weft.tripwire.outbound-packets = 2048
      weft.fabric.switch.input-buffer-packets = 4
      """;

  private static int word(MemorySegment memory, int index) {
    return memory.get(ValueLayout.JAVA_INT, index * 4L);
  }

  /** The next packet of a flow is as if it were lost. */
  private static void loseOne(NicDevice from, int toLid) {
    from.core().flows.to(toLid).position++;
  }

  /** Stores words of which the third is lost, most of them while there is no credit. */
  private static void storeWithALoss(MappedAperture mapping, NicDevice from) {
    for (int i = 0; i < WORDS; i++) {
      if (i == 2) {
        loseOne(from, mapping.lid);
      } else {
        assertTrue(mapping.writeInt(i * 4L, i + 1));
      }
    }
  }

  private static void assertNothingAfterTheLoss(MemorySegment memory) {
    assertEquals(1, word(memory, 0));
    assertEquals(2, word(memory, 1));
    for (int i = 2; i < WORDS; i++) {
      assertEquals(0, word(memory, i), "word " + i + " was stored after the lost one");
    }
  }

  @Test
  void shouldNotDeliverWaitingStoresAfterAGap() {
    try (VirtualPair pair = new VirtualPair(31, LinkFaults.NONE, FEW_CREDITS)) {
      MemorySegment memory = pair.memory(WORDS * 4);
      LocalAperture aperture = pair.far.export(memory);
      MappedAperture mapping = pair.near.map(aperture.descriptor(Rights.WRITE));
      storeWithALoss(mapping, pair.near);
      pair.run();
      assertEquals(Status.BROKEN, mapping.status());
      assertNothingAfterTheLoss(memory);
      MappedAperture again = pair.near.map(aperture.descriptor(Rights.WRITE));
      assertTrue(again.writeInt(8, 3));
      pair.run();
      assertEquals(3, word(memory, 2));
    }
  }

  @Test
  void shouldNotDeliverWaitingStoresToAGroupAfterAGap() {
    try (VirtualPair pair = new VirtualPair(32, LinkFaults.NONE, FEW_CREDITS)) {
      Descriptor group = done(pair, pair.near.multicast().open(WORDS * 4));
      MemorySegment memory = pair.memory(WORDS * 4);
      done(pair, pair.far.multicast().join(group, memory));
      MappedAperture mapping = pair.near.map(group);
      storeWithALoss(mapping, pair.near);
      pair.run();
      assertEquals(Status.BROKEN, mapping.status());
      assertNothingAfterTheLoss(memory);
    }
  }

  private static <T> T done(VirtualPair pair, CompletionStage<T> stage) {
    CompletableFuture<T> future = stage.toCompletableFuture();
    assertTrue(pair.fabric.system().runUntil(future::isDone, 1_000_000_000L));
    return future.join();
  }

  @Test
  void shouldTellBothHostsWhenThingsAreLostInBothDirections() {
    try (VirtualPair pair = new VirtualPair(33)) {
      MemorySegment[] memory = {pair.memory(64), pair.memory(64)};
      LocalAperture[] aperture = {pair.near.export(memory[0]), pair.far.export(memory[1])};
      MappedAperture toFar = pair.near.map(aperture[1].descriptor(Rights.WRITE));
      MappedAperture toNear = pair.far.map(aperture[0].descriptor(Rights.WRITE));
      toFar.writeInt(0, 1);
      toNear.writeInt(0, 1);
      pair.run();
      loseOne(pair.near, pair.far.lid());
      loseOne(pair.far, pair.near.lid());
      toFar.writeInt(4, 2);
      toNear.writeInt(4, 2);
      pair.run();
      assertEquals(Status.BROKEN, toFar.status());
      assertEquals(Status.BROKEN, toNear.status());
      pair.near.map(aperture[1].descriptor(Rights.WRITE)).writeInt(8, 3);
      pair.far.map(aperture[0].descriptor(Rights.WRITE)).writeInt(8, 3);
      pair.run();
      for (MemorySegment each : memory) {
        assertEquals(1, word(each, 0));
        assertEquals(0, word(each, 1));
        assertEquals(3, word(each, 2));
      }
    }
  }

  @Test
  void shouldSayAgainThatAFlowIsBrokenWhenThatWasLost() {
    try (VirtualPair pair = new VirtualPair(34)) {
      MappedAperture toFar = pair.near.map(pair.far.export(pair.memory(64)).descriptor(Rights.WRITE));
      toFar.writeInt(0, 1);
      pair.run();
      pair.far.core().flows.from(pair.near.lid()).fail(0, pair.far.nowNs()); // Something of near's was lost, and that far said so.
      toFar.writeInt(4, 2);
      pair.fabric.system().runFor(Flows.REPEAT_NS / 2);
      assertEquals(Status.OK, toFar.status(), "it is not said with every packet");
      pair.run();
      assertEquals(Status.BROKEN, toFar.status(), "near has asked");
    }
  }

  /** A flow that was broken and starts anew while the cable of one of the two is cut for a moment. */
  private static MappedAperture reopenedWhileCut(VirtualPair pair, LocalAperture aperture, String cut, long forNs) {
    MappedAperture first = pair.near.map(aperture.descriptor(Rights.WRITE));
    first.writeInt(0, 1);
    pair.run();
    loseOne(pair.near, pair.far.lid());
    first.writeInt(4, 2);
    pair.run();
    assertEquals(Status.BROKEN, first.status());
    MappedAperture again = pair.near.map(aperture.descriptor(Rights.WRITE));
    pair.fabric.link(cut).setPartitioned(true);
    again.writeInt(8, 3);
    pair.fabric.system().runFor(forNs);
    pair.fabric.link(cut).setPartitioned(false);
    return again;
  }

  @Test
  void shouldSayThatAFlowIsBrokenWhoseStartAndEndWereLost() {
    for (String cut : List.of("near/nic", "far/nic")) {
      try (VirtualPair pair = new VirtualPair(35)) {
        MemorySegment memory = pair.memory(64);
        LocalAperture aperture = pair.far.export(memory);
        MappedAperture again = reopenedWhileCut(pair, aperture, cut, Flows.REPEAT_NS / 2);
        assertEquals(Status.OK, again.status());
        pair.run();
        assertEquals(Status.BROKEN, again.status());
        assertEquals(0, word(memory, 2));
        pair.near.map(aperture.descriptor(Rights.WRITE)).writeInt(12, 4);
        pair.run();
        assertEquals(4, word(memory, 3));
      }
    }
  }

  @Test
  void shouldFailMappingsOfANicThatDoesNotAnswer() {
    try (VirtualPair pair = new VirtualPair(36, LinkFaults.NONE, "weft.tripwire.confirm-timeout = 1 s")) {
      LocalAperture aperture = pair.far.export(pair.memory(64));
      assertEquals(Status.TIMED_OUT, reopenedWhileCut(pair, aperture, "far/nic", 2_000_000_000L).status());
    }
  }

  @Test
  void shouldLoseNothingWhenOnlyTheAnswerIsLost() {
    try (VirtualPair pair = new VirtualPair(37)) {
      MemorySegment memory = pair.memory(64);
      MappedAperture mapping = pair.near.map(pair.far.export(memory).descriptor(Rights.WRITE));
      mapping.writeInt(0, 1);
      assertTrue(pair.fabric.system().runUntil(() -> word(memory, 0) == 1, 1_000_000));
      pair.fabric.link("near/nic").setPartitioned(true); // What far answers is on its way.
      pair.fabric.system().runFor(Flows.REPEAT_NS / 2);
      assertFalse(pair.near.core().flows.to(pair.far.lid()).answered);
      pair.fabric.link("near/nic").setPartitioned(false);
      pair.run();
      assertTrue(pair.near.core().flows.to(pair.far.lid()).answered);
      assertEquals(Status.OK, mapping.status());
      assertEquals(0, pair.far.inspect().counters().gaps());
    }
  }
}
