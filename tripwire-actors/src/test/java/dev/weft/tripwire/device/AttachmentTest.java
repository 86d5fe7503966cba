package dev.weft.tripwire.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.typesafe.config.ConfigFactory;
import dev.weft.fabric.switching.SwitchActor;
import dev.weft.hca.node.LocalFabric;
import dev.weft.hca.node.Node;
import dev.weft.tripwire.driver.ExportedAperture;
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
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** NICs that come, cannot be reached yet, and go. */
@Tag("slow")
@Tag("simulation")
@Timeout(180)
class AttachmentTest {
  private static final long SECOND = 1_000_000_000L;

  private static Flows.Outgoing ask(VirtualPair pair) {
    return pair.near.core().hello.ask(pair.far.lid());
  }

  @Test
  void shouldAskAgainUntilTheOtherNicAnswers() {
    try (VirtualPair pair = new VirtualPair(1)) {
      ExportedAperture aperture = pair.far.export(pair.memory(64));
      RemoteAperture there = pair.near.map(aperture.descriptor(Rights.ALL));
      for (String lost : List.of("near/nic", "far/nic")) {
        pair.fabric.link(lost).setPartitioned(true);
        assertFalse(ask(pair).answered);
        pair.fabric.system().runFor(3 * Flows.REPEAT_NS);
        assertFalse(ask(pair).answered);
        pair.fabric.link(lost).setPartitioned(false);
      }
      Flows.Outgoing flow = ask(pair);
      pair.run();
      assertTrue(flow.answered);
      there.writeInt(8, 7);
      pair.run();
      assertEquals(7, aperture.memory.burst(8, 4).segment().get(ValueLayout.JAVA_INT_UNALIGNED, 8));
      assertEquals(0, pair.far.inspect().counters().gaps());
      assertEquals(0, pair.near.inspect().counters().refusalsReceived(), "an answer is no refusal");
      long packets = pair.near.inspect().counters().packetsSent();
      ask(pair);
      assertEquals(packets, pair.near.inspect().counters().packetsSent(), "who has answered is not asked");
    }
  }

  @Test
  void shouldFailEverythingOfANicThatIsClosed() {
    try (VirtualPair pair = new VirtualPair(2)) {
      ExportedAperture aperture = pair.far.export(pair.memory(1 << 20));
      RemoteAperture used = pair.near.map(aperture.descriptor(Rights.ALL));
      RemoteAperture idle = pair.near.map(aperture.descriptor(Rights.READ));
      RemoteAperture back = pair.far.map(pair.near.export(pair.memory(1 << 20)).descriptor(Rights.ALL));
      Endpoint endpoint = pair.far.endpoint(3);
      List<Status> ended = new ArrayList<>();
      endpoint.dma().onDone((userData, status) -> ended.add(status));
      used.writeInt(0, 1);
      pair.run();
      for (int i = 0; i < 40; i++) {
        assertTrue(endpoint.dma().write(back, 0, pair.memory(1 << 20), 0, 1 << 20, i));
      }
      back.read(0, pair.memory(8), 0, 8, ended::add);
      pair.far.close();
      pair.run();
      assertEquals(Status.PEER_LOST, used.status());
      assertEquals(Status.PEER_LOST, idle.status(), "a mapping that nothing was written through");
      assertEquals(Status.INVALID, back.status());
      assertEquals(41, ended.size());
      assertTrue(ended.stream().allMatch(status -> status == Status.INVALID), ended::toString);
      assertFalse(aperture.isOpen());
      assertEquals(Status.INVALID, assertThrows(NicException.class, () -> pair.far.endpoint(4)).status());
      endpoint.close();
      aperture.revoke();
      pair.far.close();
      assertEquals(0, pair.near.lidOf("far"));
    }
  }

  @Test
  void shouldEndDmaToAHostThatIsLostThoughNothingMayBeSent() {
    try (VirtualPair pair = new VirtualPair(3)) {
      RemoteAperture there = pair.near.map(pair.far.export(pair.memory(1 << 20)).descriptor(Rights.ALL));
      there.writeInt(0, 1);
      pair.run();
      List<Status> ended = new ArrayList<>();
      DmaQueue dma = pair.near.endpoint(1).dma().onDone((userData, status) -> ended.add(status));
      pair.fabric.leafSwitch().tell(new SwitchActor.SetLink(2, false)); // Port 1 is the HCA's.
      pair.run();
      for (int i = 0; i < 8; i++) {
        dma.write(there, 0, pair.memory(1 << 20), 0, 1 << 20, i);
      }
      pair.fabric.system().runUntil(() -> false, SECOND);
      assertEquals(0, ended.size());
      pair.far.close();
      pair.run();
      assertEquals(8, ended.size());
      assertEquals(Status.PEER_LOST, ended.getLast());
    }
  }

  @Test
  void shouldCompleteARequestOnceThoughItsBytesAreGivenBackAtOnce() {
    try (VirtualPair pair = new VirtualPair(4)) {
      RemoteAperture there = pair.near.map(pair.far.export(pair.memory(1 << 20)).descriptor(Rights.ALL));
      DmaQueue dma = pair.near.endpoint(1).dma();
      pair.fabric.link("near/nic").setPartitioned(true); // A cable that is cut drops packets where they are put into it.
      for (int i = 0; i < 40; i++) {
        dma.write(there, 0, pair.memory(10_000), 0, 10_000, i);
      }
      pair.run();
      assertEquals(40, dma.done());
    }
  }

  @Test
  void shouldWakeWhoWaitsAndStartAnew() throws Exception {
    try (LocalFabric fabric = LocalFabric.start(ConfigFactory.parseString("weft.tripwire.control-timeout = 5 s"));
        Arena arena = Arena.ofShared()) {
      Nic near = NicDevice.start(fabric, fabric.addNode("near"));
      Node node = fabric.addNode("far");
      Nic far = NicDevice.start(fabric, node);
      MemorySegment memory = arena.allocate(64, 8);
      LocalAperture aperture = far.export(memory);
      Descriptor cookie = aperture.descriptor(Rights.ALL);
      RemoteAperture there = near.map(cookie);
      Tripwire wire = far.tripwire().set(aperture, Watch.WRITE, 0, 8, true);
      wire.arm();
      AtomicReference<Boolean> fired = new AtomicReference<>();
      Thread waiting = Thread.ofPlatform().start(() -> fired.set(wire.await(0, 200 * SECOND)));
      while (waiting.getState() != Thread.State.TIMED_WAITING) {
        Thread.onSpinWait();
      }
      far.close();
      waiting.join();
      assertFalse(fired.get());
      assertTrue(fabric.help(() -> there.status() == Status.PEER_LOST, 90 * SECOND));
      assertEquals(Status.PEER_LOST, assertThrows(NicException.class, () -> near.map(cookie)).status());
      assertEquals(Status.PEER_LOST, assertThrows(NicException.class, () -> near.reach("nobody")).status());
      Nic again = NicDevice.start(fabric, node);
      assertEquals(again.lid(), near.reach("far"));
      RemoteAperture anew = near.map(again.export(memory).descriptor(Rights.ALL));
      anew.writeInt(0, 5);
      assertTrue(fabric.help(() -> (int) ValueLayout.JAVA_INT.varHandle().getAcquire(memory, 0L) == 5, 90 * SECOND));
    }
  }
}
