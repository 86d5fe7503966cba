package dev.weft.tripwire.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import akka.actor.typed.javadsl.Behaviors;
import dev.weft.fabric.link.LinkFaults;
import dev.weft.fabric.switching.SwitchActor;
import dev.weft.fabric.switching.SwitchSnapshot;
import dev.weft.tripwire.nic.DmaQueue;
import dev.weft.tripwire.nic.LocalAperture;
import dev.weft.tripwire.nic.NicException;
import dev.weft.tripwire.nic.NicSnapshot;
import dev.weft.tripwire.nic.RemoteAperture;
import dev.weft.tripwire.nic.Rights;
import dev.weft.tripwire.nic.Status;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Flow control loses nothing, however long the receiver takes; what is lost otherwise is told, also if nothing follows it. */
@Tag("simulation")
class LosslessTest {
  private static final long SECOND = 1_000_000_000L;
  /** Placing a packet takes three times as long as the switch keeps packets that may be lost. */
  private static final String SLOW = """
      weft.tripwire { place-time = 300 ms, receive-buffer-packets = 8, input-xoff-at-packets = 4, input-xon-at-packets = 2 }
      weft.tripwire { outbound-packets = 2048, confirm-timeout = 60 s }
      weft.fabric.switch { input-buffer-packets = 8, hoq-lifetime = 100 ms, burst-max = 0 }
      """;
  private static final String SLOW_WITHOUT_XOFF = SLOW + "weft.tripwire { input-xoff-at-packets = 0, input-xon-at-packets = 0 }";
  /** Long enough for a question, its repetition and the answer. */
  private static final long BOUND_NS = 4 * Flows.REPEAT_NS;

  private static int word(MemorySegment memory, int index) {
    return memory.get(ValueLayout.JAVA_INT, index * 4L);
  }

  private static long discards(VirtualPair pair) {
    AtomicReference<SwitchSnapshot> snapshot = new AtomicReference<>();
    pair.fabric.leafSwitch().tell(new SwitchActor.Inspect(pair.fabric.system().spawn(Behaviors.receiveMessage((SwitchSnapshot now) -> {
      snapshot.set(now);
      return Behaviors.stopped();
    }), "inspector")));
    assertTrue(pair.fabric.system().runUntil(() -> snapshot.get() != null, SECOND));
    return snapshot.get().ports().stream().mapToLong(port -> port.discards().total()).sum();
  }

  private static void storeToASlowReceiver(VirtualPair pair, int words) {
    MemorySegment memory = pair.memory(words * 4L);
    RemoteAperture mapping = pair.near.map(pair.far.export(memory).descriptor(Rights.WRITE));
    for (int i = 0; i < words; i++) {
      assertTrue(mapping.writeInt(i * 4L, i + 1));
    }
    pair.run();
    for (int i = 0; i < words; i++) {
      assertEquals(i + 1, word(memory, i), "word " + i + "; " + mapping);
    }
    assertEquals(Status.OK, mapping.status(), mapping::cause);
    assertEquals(0, pair.far.inspect().counters().gaps());
    assertEquals(0, discards(pair));
  }

  @Test
  void shouldLoseNothingWhenTheInputIsFullForLongerThanTheHeadOfQueueLifetime() {
    try (VirtualPair pair = new VirtualPair(51, LinkFaults.NONE, SLOW)) {
      storeToASlowReceiver(pair, 60);
      NicSnapshot far = pair.far.inspect();
      assertTrue(far.xoffsSaid() > 1, "it has said Xoff, Xon and Xoff again: " + far.xoffsSaid());
      assertEquals(0, far.input());
    }
  }

  @Test
  void shouldLoseNothingByCreditsAlone() {
    try (VirtualPair pair = new VirtualPair(52, LinkFaults.NONE, SLOW_WITHOUT_XOFF)) {
      storeToASlowReceiver(pair, 60);
      assertEquals(0, pair.far.inspect().xoffsSaid());
    }
  }

  @Test
  void shouldStopTheSwitchAtTheMarkAndLetItGoOnAtTheOther() {
    try (VirtualPair pair = new VirtualPair(53, LinkFaults.NONE, SLOW)) {
      RemoteAperture mapping = pair.near.map(pair.far.export(pair.memory(64)).descriptor(Rights.WRITE));
      for (int i = 0; i < 40; i++) {
        assertTrue(mapping.writeInt(0, i));
      }
      pair.fabric.system().runFor(SECOND / 4);
      assertEquals(1, pair.far.inspect().xoffsSaid());
      int most = 0;
      for (int i = 0; i < 40; i++) {
        pair.fabric.system().runFor(SECOND / 10);
        most = Math.max(most, pair.far.inspect().input());
      }
      assertTrue(most >= 4 && most <= 8, "the credits bound what was on its way when it said Xoff: " + most);
      assertTrue(pair.far.inspect().xoffsSaid() > 1);
      pair.run();
      assertEquals(Status.OK, mapping.status(), mapping::cause);
    }
  }

  @Test
  void shouldGiveUpALinkThatTakesNothingForTheLosslessLifetimeAndTell() {
    String settings = """
        weft.tripwire { place-time = 1 s, receive-buffer-packets = 2, input-xoff-at-packets = 1, input-xon-at-packets = 0 }
        weft.tripwire { outbound-packets = 2048, confirm-timeout = 60 s }
        weft.fabric.switch { input-buffer-packets = 8, hoq-lifetime = 100 ms, lossless-lifetime = 500 ms, burst-max = 0 }
        """;
    try (VirtualPair pair = new VirtualPair(54, LinkFaults.NONE, settings)) {
      RemoteAperture mapping = pair.near.map(pair.far.export(pair.memory(64)).descriptor(Rights.WRITE));
      for (int i = 0; i < 20; i++) {
        assertTrue(mapping.writeInt(0, i));
      }
      pair.run();
      assertTrue(discards(pair) > 0, "it does not block its senders for ever");
      assertEquals(Status.BROKEN, mapping.status());
      assertTrue(mapping.cause().contains("lost on the way"), mapping::cause);
      NicException refused = assertThrows(NicException.class, () -> mapping.writeInt(0, 1));
      assertTrue(refused.getMessage().contains(mapping.cause()), refused::getMessage);
    }
  }

  @Test
  void shouldTellThatTheLastStoreOfAFlowWasLost() {
    try (VirtualPair pair = new VirtualPair(55)) {
      MemorySegment memory = pair.memory(64);
      RemoteAperture mapping = pair.near.map(pair.far.export(memory).descriptor(Rights.WRITE));
      List<Integer> told = new ArrayList<>();
      pair.near.onBroken(told::add);
      mapping.writeInt(0, 1);
      pair.run();
      pair.fabric.link("near/nic").setPartitioned(true);
      mapping.writeInt(4, 2);
      pair.fabric.system().runFor(100_000);
      pair.fabric.link("near/nic").setPartitioned(false);
      assertEquals(Status.OK, mapping.status());
      pair.fabric.system().runFor(BOUND_NS);
      assertEquals(Status.BROKEN, mapping.status(), "nothing follows the store, and yet");
      assertEquals(List.of(pair.far.lid()), told);
      assertEquals(0, word(memory, 1));
    }
  }

  @Test
  void shouldSayNothingMoreOnceAllIsConfirmed() {
    try (VirtualPair pair = new VirtualPair(56)) {
      RemoteAperture mapping = pair.near.map(pair.far.export(pair.memory(64)).descriptor(Rights.WRITE));
      for (int i = 0; i < 10; i++) {
        mapping.writeInt(0, i);
      }
      pair.run(); // Ends only if nothing is to be done any more.
      assertTrue(pair.near.core().flows.to(pair.far.lid()).isConfirmed());
      long sent = pair.near.inspect().counters().packetsSent();
      assertTrue(sent <= 13, "a few questions for ten stores: " + sent);
      pair.fabric.system().runFor(10 * SECOND);
      assertEquals(sent, pair.near.inspect().counters().packetsSent());
    }
  }

  /** Ends of requests, and whether their bytes were there then. */
  private static final class Ends {
    final List<Status> statuses = new ArrayList<>();
    final List<Boolean> delivered = new ArrayList<>();
  }

  private static Ends ends(DmaQueue dma, MemorySegment memory, int length) {
    Ends ends = new Ends();
    dma.onDone((index, status) -> {
      ends.statuses.add(status);
      ends.delivered.add(memory.get(ValueLayout.JAVA_BYTE, (index + 1) * length - 1) != 0);
    });
    return ends;
  }

  @Test
  void shouldEndADmaRequestOkOnlyWhenItWasDelivered() {
    for (String copies : List.of("false", "true")) {
      try (VirtualPair pair = new VirtualPair(57, LinkFaults.NONE, SLOW + "weft.tripwire { burst-max = 256, dma-copies = " + copies + " }")) {
        MemorySegment memory = pair.memory(8 * 1024);
        RemoteAperture mapping = pair.near.map(pair.far.export(memory).descriptor(Rights.WRITE));
        MemorySegment source = pair.memory(1024).fill((byte) 1);
        DmaQueue dma = pair.near.endpoint(0).dma();
        Ends ends = ends(dma, memory, 1024);
        for (int i = 0; i < 8; i++) {
          assertTrue(dma.write(mapping, i * 1024L, source, 0, 1024, i));
        }
        pair.run();
        assertEquals(Collections.nCopies(8, Status.OK), ends.statuses);
        assertFalse(ends.delivered.contains(false), "copies " + copies + ": " + ends.delivered);
      }
    }
  }

  @Test
  void shouldNotEndADmaRequestOkWhoseLastBytesWereLost() {
    try (VirtualPair pair = new VirtualPair(58)) {
      MemorySegment memory = pair.memory(4096);
      RemoteAperture mapping = pair.near.map(pair.far.export(memory).descriptor(Rights.WRITE));
      MemorySegment source = pair.memory(1024).fill((byte) 1);
      DmaQueue dma = pair.near.endpoint(0).dma();
      Ends ends = ends(dma, memory, 1024);
      dma.write(mapping, 0, source, 0, 1024, 0);
      pair.run();
      pair.fabric.link("far/nic").setPartitioned(true);
      dma.write(mapping, 1024, source, 0, 1024, 1);
      pair.fabric.system().runFor(100_000);
      assertEquals(1, dma.done(), "not yet known");
      pair.fabric.link("far/nic").setPartitioned(false);
      pair.fabric.system().runFor(BOUND_NS);
      assertEquals(List.of(Status.OK, Status.BROKEN), ends.statuses);
      assertEquals(1, dma.failed());
      assertTrue(dma.write(pair.near.map(mapping.descriptor()), 2048, source, 0, 1024, 2));
      pair.run();
      assertEquals(List.of(Status.OK, Status.BROKEN, Status.OK), ends.statuses);
    }
  }

  @Test
  void shouldNotEndADmaRequestOkThatWasRefused() {
    try (VirtualPair pair = new VirtualPair(59)) {
      LocalAperture aperture = pair.far.export(pair.memory(4096));
      RemoteAperture mapping = pair.near.map(aperture.descriptor(Rights.WRITE));
      DmaQueue dma = pair.near.endpoint(0).dma();
      Ends ends = ends(dma, pair.memory(4096), 1024);
      aperture.revoke();
      dma.write(mapping, 0, pair.memory(1024), 0, 1024, 0);
      pair.run();
      assertEquals(List.of(Status.REVOKED), ends.statuses);
      assertTrue(mapping.cause().contains("refused a write at offset 0: REVOKED"), mapping::cause);
    }
  }

  /** The refusal is lost; the answer that comes after it says that there was one. */
  @Test
  void shouldNotEndADmaRequestOkWhoseRefusalWasLost() {
    try (VirtualPair pair = new VirtualPair(60)) {
      LocalAperture aperture = pair.far.export(pair.memory(4096));
      RemoteAperture mapping = pair.near.map(aperture.descriptor(Rights.WRITE));
      DmaQueue dma = pair.near.endpoint(0).dma();
      Ends ends = ends(dma, pair.memory(4096), 1024);
      mapping.writeInt(0, 1);
      pair.run();
      aperture.revoke();
      dma.write(mapping, 0, pair.memory(1024), 0, 1024, 0);
      assertTrue(pair.fabric.system().runUntil(() -> pair.far.core().counters.refusalsSent > 0, SECOND));
      pair.fabric.link("near/nic").setPartitioned(true); // What far says is on its way.
      pair.fabric.system().runFor(Flows.REPEAT_NS / 2);
      pair.fabric.link("near/nic").setPartitioned(false);
      pair.fabric.system().runFor(BOUND_NS);
      assertEquals(List.of(Status.BROKEN), ends.statuses);
    }
  }

  @Test
  void shouldEndRequestsOfAQueueInOrderWhereverTheyGo() {
    try (VirtualPair pair = new VirtualPair(61, LinkFaults.NONE, SLOW)) {
      RemoteAperture slow = pair.near.map(pair.far.export(pair.memory(4096)).descriptor(Rights.WRITE));
      RemoteAperture own = pair.near.map(pair.near.export(pair.memory(4096)).descriptor(Rights.WRITE));
      DmaQueue dma = pair.near.endpoint(0).dma();
      List<Long> done = new ArrayList<>();
      dma.onDone((userData, status) -> done.add(userData));
      MemorySegment source = pair.memory(1024);
      for (int i = 0; i < 6; i++) {
        assertTrue(dma.write(i % 2 == 0 ? slow : own, 0, source, 0, 1024, i));
      }
      pair.run();
      assertEquals(List.of(0L, 1L, 2L, 3L, 4L, 5L), done);
    }
  }

  @Test
  void shouldEndWhatIsNotConfirmedWhenTheNicCloses() {
    try (VirtualPair pair = new VirtualPair(62, LinkFaults.NONE, SLOW)) {
      RemoteAperture slow = pair.near.map(pair.far.export(pair.memory(4096)).descriptor(Rights.WRITE));
      DmaQueue dma = pair.near.endpoint(0).dma();
      Ends ends = ends(dma, pair.memory(4096), 1024);
      dma.write(slow, 0, pair.memory(1024), 0, 1024, 0);
      pair.fabric.system().runFor(SECOND / 10);
      pair.near.close();
      pair.run();
      assertEquals(List.of(Status.INVALID), ends.statuses);
    }
  }
}
