package dev.weft.fabric.switching;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import akka.actor.typed.ActorRef;
import akka.actor.typed.DispatcherSelector;
import akka.actor.typed.javadsl.Behaviors;
import dev.weft.fabric.HardwareMessage;
import dev.weft.fabric.link.Cable;
import dev.weft.fabric.link.DirectCable;
import dev.weft.fabric.link.EndPort;
import dev.weft.fabric.link.LinkFaults;
import dev.weft.fabric.link.LinkProfile;
import dev.weft.fabric.link.SimulatedLink;
import dev.weft.fabric.time.VirtualSystem;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** A switch in virtual time with end ports on simulated or direct cables. */
final class SwitchBench implements AutoCloseable {
  static final long MAX_EVENTS = 20_000_000;

  final long seed;
  final VirtualSystem system;
  final SwitchSettings settings;
  final ActorRef<SwitchActor.Command> leaf;
  final List<EndPort> ends = new ArrayList<>();
  final List<SimulatedLink> links = new ArrayList<>();
  final List<SwitchActor.AttachReply> replies = new ArrayList<>();
  private final ActorRef<SwitchActor.AttachReply> replyTo;
  private final ActorRef<SwitchSnapshot> inspector;
  private SwitchSnapshot snapshot;

  SwitchBench(long seed, SwitchSettings settings) {
    this.seed = seed;
    this.settings = settings;
    system = VirtualSystem.create(seed);
    leaf = system.spawn(
        SwitchActor.create(settings, system.context(), DispatcherSelector.fromConfig("weft.hardware-dispatcher")),
        "switch");
    replyTo = system.spawn(
        Behaviors.receiveMessage(
            (SwitchActor.AttachReply reply) -> {
              replies.add(reply);
              return Behaviors.same();
            }),
        "attacher");
    inspector = system.spawn(
        Behaviors.receiveMessage(
            (SwitchSnapshot now) -> {
              snapshot = now;
              return Behaviors.same();
            }),
        "inspector");
  }

  /** Attaches an end port with the next LID over a simulated link. */
  EndPort attach(LinkProfile profile, LinkFaults faults, int capacity, long consumeNs) {
    SimulatedLink link =
        new SimulatedLink(system.context(), profile, faults, settings.virtualLanes(), system.faultRandom());
    links.add(link);
    EndPort end = newEnd(capacity, consumeNs);
    ActorRef<HardwareMessage> ref = system.spawn(end.behavior(), "end-" + end.lid);
    end.connect(link.fromA());
    attach(end, port -> {
      link.connect(ref, port);
      return link.fromB();
    });
    return end;
  }

  /** Attaches an end port with the next LID over a cable that adds nothing. */
  EndPort attachDirect(int capacity, long consumeNs) {
    EndPort end = newEnd(capacity, consumeNs);
    ActorRef<HardwareMessage> ref = system.spawn(end.behavior(), "end-" + end.lid);
    attach(end, port -> {
      end.connect(new DirectCable(port));
      return new DirectCable(ref);
    });
    return end;
  }

  private EndPort newEnd(int capacity, long consumeNs) {
    EndPort end = new EndPort(system.context(), ends.size() + 1, settings.virtualLanes(), capacity, consumeNs);
    ends.add(end);
    return end;
  }

  private void attach(EndPort end, Function<ActorRef<HardwareMessage>, Cable> cable) {
    leaf.tell(new SwitchActor.AttachPort("end-" + end.lid, end.lid, true, cable, replyTo));
    settle();
    SwitchActor.PortAttached attached = (SwitchActor.PortAttached) replies.getLast();
    assertEquals("end-" + end.lid, attached.name());
    assertTrue(end.up);
    assertEquals(end.lid, end.assignedLid);
  }

  SwitchActor.AttachReply attachRaw(int lid, Function<ActorRef<HardwareMessage>, Cable> cable) {
    leaf.tell(new SwitchActor.AttachPort("raw", lid, false, cable, replyTo));
    settle();
    return replies.getLast();
  }

  void settle() {
    system.runUntilIdle(MAX_EVENTS);
  }

  SwitchSnapshot inspect() {
    snapshot = null;
    leaf.tell(new SwitchActor.Inspect(inspector));
    system.runUntil(() -> snapshot != null, 0);
    return snapshot;
  }

  PortSnapshot port(int number) {
    return inspect().ports().stream().filter(p -> p.number() == number).findFirst().orElseThrow();
  }

  /** Nothing is inside the switch, and both ends of every cable agree about every credit but {@code reserve}. */
  void assertAtRest(int reserve) {
    SwitchSnapshot now = inspect();
    for (PortSnapshot port : now.ports()) {
      EndPort end = ends.get(port.lid() - 1);
      for (int lane = 0; lane < settings.virtualLanes(); lane++) {
        PortSnapshot.Lane state = port.lanes().get(lane);
        String where = "seed " + seed + " port " + port.number() + " lane " + lane + " " + state;
        assertEquals(0, state.queued(), where);
        assertEquals(0, state.inputOccupied(), where);
        assertTrue(state.inputOccupiedHighWater() <= settings.inputBufferPackets(), where);
        int sendersMissing = state.farEndCredits() - end.credits[lane];
        assertTrue(sendersMissing >= 0 && sendersMissing <= reserve, where + ": end port holds " + end.credits[lane]);
        int portsMissing = end.capacity() - end.occupied[lane] - end.unreturned[lane] - state.credits();
        assertTrue(portsMissing >= 0 && portsMissing <= reserve, where + ": end port's books miss " + portsMissing);
      }
      assertEquals(0, port.controlErrors());
    }
  }

  void assertNobodyOverran() {
    for (EndPort end : ends) {
      assertEquals(0, end.overruns, "seed " + seed + ": packets that came to LID " + end.lid + " without a free buffer");
    }
    for (PortSnapshot port : inspect().ports()) {
      assertEquals(0, port.discards().creditViolation(), "seed " + seed + " " + port);
    }
  }

  void assertReleasedOnce() {
    for (EndPort end : ends) {
      for (int i = 0; i < end.fates.size(); i++) {
        assertEquals(1, end.fates.get(i).released, "seed " + seed + ": packet " + i + " of LID " + end.lid);
      }
    }
  }

  @Override
  public void close() {
    system.close();
  }
}
