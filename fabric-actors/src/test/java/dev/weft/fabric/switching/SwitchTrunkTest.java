package dev.weft.fabric.switching;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import akka.actor.typed.ActorRef;
import akka.actor.typed.DispatcherSelector;
import akka.actor.typed.javadsl.Behaviors;
import dev.weft.fabric.HardwareMessage;
import dev.weft.fabric.link.DirectCable;
import dev.weft.fabric.link.EndPort;
import dev.weft.fabric.packet.CableMessage.LinkState;
import dev.weft.fabric.time.VirtualSystem;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Two switches joined port to port, as a trunk joins those of two JVMs. */
@Tag("slow")
@Tag("simulation")
class SwitchTrunkTest {
  private static final long MAX_EVENTS = 5_000_000;
  private static final SwitchSettings SETTINGS = new SwitchSettings(4, 2, 6, 100_000_000, 16);

  private VirtualSystem system;
  private final List<ActorRef<SwitchActor.Command>> leaves = new ArrayList<>();
  private final List<ActorRef<HardwareMessage>> trunkPorts = new ArrayList<>();
  private final List<EndPort> ends = new ArrayList<>();
  private SwitchSnapshot snapshot;
  private ActorRef<SwitchSnapshot> inspector;

  private void build(long seed) {
    system = VirtualSystem.create(seed);
    inspector = system.spawn(
        Behaviors.receiveMessage(
            (SwitchSnapshot now) -> {
              snapshot = now;
              return Behaviors.same();
            }),
        "inspector");
    ActorRef<SwitchActor.AttachReply> ignored = system.spawn(Behaviors.ignore(), "attacher");
    for (int i = 0; i < 2; i++) {
      int own = i;
      ActorRef<SwitchActor.Command> leaf = system.spawn(
          SwitchActor.create(SETTINGS, system.context(), DispatcherSelector.sameAsParent()), "switch-" + i);
      leaves.add(leaf);
      EndPort end = new EndPort(system.context(), i + 1, SETTINGS.virtualLanes(), 5, 30);
      ends.add(end);
      ActorRef<HardwareMessage> ref = system.spawn(end.behavior(), "end-" + i);
      leaf.tell(new SwitchActor.AttachPort("end", i + 1, true, port -> {
        end.connect(new DirectCable(port));
        return new DirectCable(ref);
      }, ignored));
      leaf.tell(new SwitchActor.AttachPort("trunk", 0, false, port -> {
        trunkPorts.add(port);
        return message -> trunkPorts.get(1 - own).tell(message);
      }, ignored));
      system.runUntilIdle(MAX_EVENTS);
      leaf.tell(new SwitchActor.SetRoute(2 - i, 2));
    }
    system.runUntilIdle(MAX_EVENTS);
  }

  @AfterEach
  void close() {
    system.close();
  }

  private PortSnapshot trunkPort(int leaf) {
    snapshot = null;
    leaves.get(leaf).tell(new SwitchActor.Inspect(inspector));
    system.runUntil(() -> snapshot != null, 0);
    return snapshot.ports().get(1);
  }

  private void trafficBothWays(int count) {
    for (int i = 0; i < count; i++) {
      ends.get(0).submit(2, i, 16);
      ends.get(1).submit(1, i, 16);
    }
  }

  private void assertTrunkAtRest() {
    PortSnapshot left = trunkPort(0);
    PortSnapshot right = trunkPort(1);
    for (int lane = 0; lane < SETTINGS.virtualLanes(); lane++) {
      assertEquals(left.lanes().get(lane).farEndCredits(), right.lanes().get(lane).credits(), "lane " + lane);
      assertEquals(right.lanes().get(lane).farEndCredits(), left.lanes().get(lane).credits(), "lane " + lane);
      assertEquals(0, left.lanes().get(lane).inputOccupied() + right.lanes().get(lane).inputOccupied());
    }
  }

  @Test
  void shouldWaitForTheTrunkToConnect() {
    build(1);
    assertFalse(trunkPort(0).up());
    trafficBothWays(3);
    system.runUntilIdle(MAX_EVENTS);
    assertEquals(3, trunkPort(0).discards().linkDown());
    assertEquals(0, ends.get(0).received.size() + ends.get(1).received.size());
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6})
  void shouldCarryTrafficOnceConnectedWhoeverNoticesFirst(long seed) {
    build(seed);
    trunkPorts.get((int) (seed % 2)).tell(new LinkState(true, 0));
    if (seed > 3) {
      trunkPorts.get((int) ((seed + 1) % 2)).tell(new LinkState(true, 0));
    }
    system.runUntilIdle(MAX_EVENTS);
    assertTrue(trunkPort(0).up() && trunkPort(1).up());
    trafficBothWays(2000);
    system.runUntilIdle(MAX_EVENTS);
    assertEquals(2000, ends.get(0).received.size(), "seed " + seed);
    assertEquals(2000, ends.get(1).received.size(), "seed " + seed);
    assertTrunkAtRest();
    assertEquals(0, trunkPort(0).discards().total() + trunkPort(1).discards().total());
  }

  @ParameterizedTest
  @ValueSource(longs = {11, 12, 13, 14, 15, 16})
  void shouldWorkAgainAfterTheTrunkWasLost(long seed) {
    build(seed);
    trunkPorts.get(0).tell(new LinkState(true, 0));
    system.runUntilIdle(MAX_EVENTS);
    for (int round = 0; round < 5; round++) {
      trafficBothWays(200);
      system.runFor(1000);
      trunkPorts.forEach(port -> port.tell(new LinkState(false, 0)));
      system.runUntilIdle(MAX_EVENTS);
      trunkPorts.forEach(port -> port.tell(new LinkState(true, 0)));
      system.runUntilIdle(MAX_EVENTS);
    }
    int before = ends.get(1).received.size();
    assertTrunkAtRest();
    trafficBothWays(500);
    system.runUntilIdle(MAX_EVENTS);
    assertEquals(before + 500, ends.get(1).received.size(), "seed " + seed);
    assertTrunkAtRest();
    ends.forEach(end -> end.fates.forEach(fate -> assertEquals(1, fate.released, "seed " + seed)));
  }
}
