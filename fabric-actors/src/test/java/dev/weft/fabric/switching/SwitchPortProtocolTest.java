package dev.weft.fabric.switching;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;

import akka.actor.testkit.typed.javadsl.BehaviorTestKit;
import akka.actor.testkit.typed.javadsl.TestInbox;
import dev.weft.fabric.HardwareMessage;
import dev.weft.fabric.packet.CableMessage;
import dev.weft.fabric.packet.CableMessage.Credits;
import dev.weft.fabric.packet.CableMessage.LinkState;
import dev.weft.fabric.packet.Opcode;
import dev.weft.fabric.packet.Packet;
import dev.weft.fabric.packet.Payload;
import dev.weft.fabric.switching.SwitchPortActor.Forward;
import dev.weft.fabric.switching.SwitchPortActor.PlugIn;
import dev.weft.fabric.switching.SwitchPortActor.ReturnCredits;
import dev.weft.fabric.switching.SwitchPortActor.SetLid;
import dev.weft.fabric.switching.SwitchPortActor.SetLink;
import dev.weft.fabric.switching.SwitchPortActor.Unplug;
import dev.weft.fabric.time.ManualTime;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The protocol of a switch port, message by message. Port 1 is under test: its cable is a list, port 2 and the switch are inboxes, and time
 * passes when the test says so. Buffers are 8 packets for each of two lanes.
 */
@Tag("actor")
@Timeout(180)
class SwitchPortProtocolTest {
  private static final long LIFETIME_NS = 1_000_000;
  private static final int BUFFERS = 8;
  private static final int HERE = 11;
  private static final int THERE = 22;

  private final SwitchSettings settings = new SwitchSettings(4, 2, BUFFERS, LIFETIME_NS, 4);
  private final SwitchMemory memory = new SwitchMemory(settings);
  private final PortRegisters registers = new PortRegisters(1, "one", HERE, false, settings);
  private final PortRegisters otherRegisters = new PortRegisters(2, "two", THERE, false, settings);
  private final ManualTime time = new ManualTime();
  private final List<CableMessage> cable = new ArrayList<>();
  private final TestInbox<HardwareMessage> other = TestInbox.create("port-2");
  private final TestInbox<SwitchActor.Command> owner = TestInbox.create("switch");
  private final BehaviorTestKit<HardwareMessage> port =
      BehaviorTestKit.create(SwitchPortActor.create(time.context(1), memory, registers));
  private int released;

  @BeforeEach
  void attach() {
    registers.ref = port.getRef();
    otherRegisters.ref = other.getRef();
    memory.add(registers);
    memory.add(otherRegisters);
    memory.routes().set(HERE, 1);
    memory.routes().set(THERE, 2);
    otherRegisters.input.open();
  }

  private Packet packet(int dstLid, int psn, int serviceLevel) {
    return new Packet(Opcode.RC_SEND_ONLY, 1, dstLid, serviceLevel, false, false, Packet.DEFAULT_PKEY, 5, psn, 0, 0, 0, 0, 0, 0, 0, 0,
        Payload.of(Arena.ofAuto().allocate(4), 0, 4, () -> released++));
  }

  private void work() {
    while (port.selfInbox().hasMessages()) {
      port.runOne();
    }
  }

  private void hears(HardwareMessage message) {
    port.run(message);
    work();
  }

  private void pass(long ns) {
    time.pass(ns);
    work();
  }

  private List<CableMessage> said() {
    List<CableMessage> all = List.copyOf(cable);
    cable.clear();
    return all;
  }

  private void plugIn() {
    hears(new PlugIn(cable::add, true));
    assertEquals(List.of(new LinkState(true, HERE), new Credits(0, BUFFERS), new Credits(1, BUFFERS)), said());
  }

  /** A packet of port 2 is in that port's input buffer, and leaves here. */
  private Packet cross(int psn, int serviceLevel) {
    Packet packet = packet(HERE, psn, serviceLevel);
    otherRegisters.input.arrived(serviceLevel % 2);
    hears(new Forward(packet, 2));
    return packet;
  }

  // ---- the link

  @Test
  void shouldSayNothingBeforeTheFarEndIsThereAndThenGrantItAllBuffers() {
    hears(new PlugIn(cable::add, false));
    assertEquals(List.of(), said());
    hears(new LinkState(true, 0));
    assertEquals(List.of(new LinkState(true, HERE), new Credits(0, BUFFERS), new Credits(1, BUFFERS)), said());
    hears(new LinkState(true, 0));
    assertEquals(List.of(), said(), "a repeated word grants nothing twice");
  }

  @Test
  void shouldTellTheFarEndItsLidAndThatTheLinkIsTakenDown() {
    plugIn();
    hears(new SetLid(33));
    assertEquals(List.of(new LinkState(true, 33)), said());
    hears(new SetLink(false));
    assertEquals(List.of(new LinkState(false, 33)), said());
    hears(packet(THERE, 1, 0));
    assertEquals(1, released, "what comes in over a link that is down is discarded");
    assertFalse(other.hasMessages());
    hears(new SetLink(true));
    assertEquals(List.of(new LinkState(true, 33), new Credits(0, BUFFERS), new Credits(1, BUFFERS)), said());
  }

  // ---- ingress

  @Test
  void shouldForwardInOrderAndReturnACreditForEachPacketThatHasLeft() {
    plugIn();
    List<Packet> sent = new ArrayList<>();
    for (int psn = 0; psn < BUFFERS; psn++) {
      Packet packet = packet(THERE, psn, 0);
      sent.add(packet);
      hears(packet);
    }
    for (Packet packet : sent) {
      Forward forward = (Forward) other.receiveMessage();
      assertSame(packet, forward.packet());
      assertEquals(1, forward.ingressPort());
    }
    assertFalse(other.hasMessages());
    assertEquals(List.of(), said(), "all buffers are occupied: no credit");
    int session = registers.input.session();
    int returned = 0;
    for (int i = 0; i < BUFFERS; i++) {
      ReturnCredits due = memory.left(sent.get(i), 0, 1); // As the egress port does.
      if (due != null) {
        assertEquals(new ReturnCredits(0, due.count(), session), due);
        hears(due);
        returned += due.count();
        assertEquals(List.of(new Credits(0, due.count())), said());
      }
    }
    assertEquals(BUFFERS, returned + registers.input.grant(0) - registers.input.farEndHolds(0), "every buffer is granted again, or due");
    assertEquals(0, released, "whoever takes them out of the fabric releases them");
  }

  @Test
  void shouldDiscardWhatComesWithoutACreditAndWhatHasNoRoute() {
    plugIn();
    hears(packet(THERE + 1, 0, 0));
    assertEquals(1, released);
    assertEquals(1, registers.snapshot().discards().noRoute());
    for (int psn = 0; psn < BUFFERS + 2; psn++) {
      hears(packet(THERE, psn, 1));
    }
    assertEquals(BUFFERS, other.getAllReceived().size());
    assertEquals(3, released);
    assertEquals(2, registers.snapshot().discards().creditViolation());
  }

  @Test
  void shouldReturnNoCreditOfASessionThatHasEnded() {
    plugIn();
    hears(packet(THERE, 0, 0));
    int before = registers.input.session();
    hears(new SetLink(false));
    hears(new SetLink(true));
    said();
    hears(new ReturnCredits(0, 1, before));
    assertEquals(List.of(), said());
  }

  // ---- egress

  @Test
  void shouldSendWhatItHasCreditsForAndKeepTheRestInOrder() {
    plugIn();
    Packet first = cross(1, 0);
    assertEquals(List.of(), said(), "no credit yet");
    Packet second = cross(2, 0);
    Packet third = cross(3, 0);
    Packet beside = cross(4, 1);
    hears(new Credits(1, 1));
    assertEquals(List.of(beside), said(), "another lane does not wait");
    hears(new Credits(0, 2));
    assertEquals(List.of(first, second), said());
    hears(new Credits(0, 1));
    assertEquals(List.of(third), said());
    Packet fourth = cross(5, 0);
    assertEquals(List.of(), said());
    hears(new Credits(0, 1));
    assertEquals(List.of(fourth), said());
    assertEquals(0, released);
  }

  @Test
  void shouldHoldBackWhileTheFarEndSaysStopThoughItHasCredits() {
    plugIn();
    hears(new Credits(0, 4));
    hears(new CableMessage.Xoff(0, true));
    Packet waits = cross(1, 0);
    assertEquals(List.of(), said());
    hears(new CableMessage.Xoff(0, false));
    assertEquals(List.of(waits), said());
  }

  @Test
  void shouldCountCreditsThatNobodyMayGrantAndUseNoneOfThem() {
    plugIn();
    cross(1, 0);
    hears(new Credits(7, 1));
    hears(new Credits(0, -1));
    hears(new Credits(0, 1 << 20));
    assertEquals(List.of(), said());
    assertEquals(3, registers.snapshot().controlErrors());
  }

  @Test
  void shouldDiscardWhatHasWaitedForTheHeadOfQueueLifetimeAndServeTheNextCredit() {
    plugIn();
    cross(1, 0);
    cross(2, 0);
    pass(LIFETIME_NS - 1);
    assertEquals(0, released);
    pass(1);
    assertEquals(2, released);
    cross(3, 0);
    assertEquals(3, released, "the lane is stalled: nothing waits there any more");
    assertEquals(3, registers.snapshot().discards().headOfQueueLifetime());
    hears(new Credits(0, 1));
    assertEquals(List.of(), said());
    Packet later = cross(4, 0);
    assertEquals(List.of(later), said());
  }

  @Test
  void shouldGiveBackWhatWaitsWhenTheLinkGoesDown() {
    plugIn();
    cross(1, 0);
    cross(2, 1);
    hears(new LinkState(false, 0));
    assertEquals(2, released);
    assertEquals(2, registers.snapshot().discards().linkDown());
    cross(3, 0);
    assertEquals(3, released);
    assertEquals(0, otherRegisters.input.occupied(0) + otherRegisters.input.occupied(1), "their buffers at port 2 are free again");
  }

  // ---- detach

  @Test
  void shouldEndWhenItsLastPacketHasLeftItsBuffers() {
    plugIn();
    hears(packet(THERE, 0, 0));
    other.receiveMessage();
    hears(new Unplug(owner.getRef()));
    assertEquals(List.of(new LinkState(false, HERE)), said());
    pass(LIFETIME_NS);
    assertFalse(owner.hasMessages(), "a packet of it is at port 2 still");
    registers.input.dropped(0);
    pass(LIFETIME_NS);
    assertEquals(new SwitchActor.PortDrained(1), owner.receiveMessage());
    assertFalse(port.isAlive());
  }

  @Test
  void shouldCountWhatItDoesNotUnderstandAndGoOn() {
    plugIn();
    hears(new SwitchActor.ClearRoute(1));
    assertEquals(1, registers.snapshot().unknownMessages());
    hears(packet(THERE, 0, 0));
    assertEquals(1, other.getAllReceived().size());
  }
}
