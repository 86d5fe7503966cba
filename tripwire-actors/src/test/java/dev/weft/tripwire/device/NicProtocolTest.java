package dev.weft.tripwire.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import akka.actor.testkit.typed.javadsl.BehaviorTestKit;
import akka.actor.testkit.typed.javadsl.TestInbox;
import akka.actor.typed.ActorRef;
import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.weft.fabric.HardwareMessage;
import dev.weft.fabric.link.Cable;
import dev.weft.fabric.link.LinkFaults;
import dev.weft.fabric.link.LinkProfile;
import dev.weft.fabric.node.Directory;
import dev.weft.fabric.node.MulticastGroups;
import dev.weft.fabric.packet.CableMessage;
import dev.weft.fabric.packet.CableMessage.Credits;
import dev.weft.fabric.packet.CableMessage.LinkState;
import dev.weft.fabric.packet.CableMessage.Xoff;
import dev.weft.fabric.packet.Opcode;
import dev.weft.fabric.packet.Packet;
import dev.weft.fabric.packet.Payload;
import dev.weft.fabric.switching.SwitchActor;
import dev.weft.hca.node.DeviceHost;
import dev.weft.hca.node.VirtualFabric;
import dev.weft.tripwire.driver.ExportedAperture;
import dev.weft.tripwire.nic.Descriptor;
import dev.weft.tripwire.nic.NetworkAddress;
import dev.weft.tripwire.nic.NicSnapshot;
import dev.weft.tripwire.nic.RemoteAperture;
import dev.weft.tripwire.nic.Rights;
import dev.weft.tripwire.nic.Status;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The protocol of a NIC, message by message: the test plays the switch port and the NIC behind it, and what the NIC transmits is a list. The
 * node, its HCA and the clock are those of a fabric in virtual time.
 */
@Tag("simulation")
@Timeout(180)
class NicProtocolTest {
  private static final int HERE = 5;
  private static final int THERE = 7;
  private static final long KEY = 99;
  private static final int START = 100;

  private final Arena arena = Arena.ofShared();
  private final VirtualFabric fabric = new VirtualFabric(1, new LinkProfile(1_000, 10_000_000_000L), LinkFaults.NONE,
      ConfigFactory.parseString("weft.fabric.switch.virtual-lanes = 1, weft.tripwire { receive-buffer-packets = 4, xoff-at-packets = 0, xon-at-packets = 0 }"));
  private final List<String> said = new ArrayList<>();
  private NicDevice nic;
  private BehaviorTestKit<HardwareMessage> actor;

  /** The fabric, but without a switch for the NIC. */
  private record NoSwitch(VirtualFabric fabric) implements DeviceHost {
    @Override
    public void attachDevice(String name, ActorRef<HardwareMessage> device, Consumer<Cable> laid) {}

    @Override
    public void detachDevice(String name, int portNumber) {}

    @Override
    public Directory directory() {
      return fabric.directory();
    }

    @Override
    public MulticastGroups groups() {
      return fabric.groups();
    }

    @Override
    public Config config() {
      return fabric.config();
    }

    @Override
    public boolean isHardwareThread() {
      return fabric.isHardwareThread();
    }

    @Override
    public boolean help(BooleanSupplier until, long maxNs) {
      return fabric.help(until, maxNs);
    }
  }

  @BeforeEach
  void plugIn() {
    nic = (NicDevice) NicDevice.start(new NoSwitch(fabric), fabric.addNode("near"));
    fabric.system().runUntilIdle(1_000_000);
    actor = BehaviorTestKit.create(NicActor.create(nic));
    actor.run(new NicActor.CableLaid(this::transmitted));
    actor.run(new LinkState(true, HERE));
    said("Credits 4");
  }

  @AfterEach
  void close() {
    fabric.close();
    arena.close();
  }

  private void transmitted(CableMessage message) {
    said.add(switch (message) {
      case Credits credits -> "Credits " + credits.count();
      case Packet packet -> Opcode.name(packet.opcode()) + " to " + packet.dstLid() + (packet.opcode() == Opcode.CLAN_REFUSED
          ? " " + Status.of(packet.destQp() & 0xff) : "");
      default -> message.toString();
    });
  }

  /** Everything that the NIC has transmitted since this was asked last. */
  private void said(String... expected) {
    assertEquals(List.of(expected), said);
    said.clear();
  }

  private RemoteAperture mapping() {
    return nic.mapNow(Descriptor.of(THERE, 1, 4096, Rights.ALL, KEY));
  }

  /** The other NIC starts a flow at {@link #START}. */
  private void opened() {
    actor.run(Packet.burst(Opcode.CLAN_OPEN, THERE, HERE, 0, 0, START + 1, 0, START, false, Payload.EMPTY));
  }

  /** The other NIC writes four bytes at a position of its flow. */
  private void written(ExportedAperture aperture, long key, int position, int value) {
    MemorySegment bytes = arena.allocate(4);
    bytes.set(ValueLayout.JAVA_INT, 0, value);
    actor.run(Packet.burst(Opcode.CLAN_WRITE, THERE, HERE, 0, 0, NetworkAddress.of(aperture.number(), 8), key, position, false,
        Payload.of(bytes, 0, 4)));
  }

  private static long key(ExportedAperture aperture) {
    return aperture.descriptor(Rights.ALL).key();
  }

  @Test
  void shouldKeepAStoreUntilThereIsACreditAndOpenTheFlowFirst() {
    RemoteAperture there = mapping();
    assertTrue(there.writeInt(0, 1));
    said();
    actor.run(new Credits(0, 1));
    said("CLAN_OPEN to 7");
    actor.run(new Credits(0, 1));
    said("CLAN_WRITE to 7");
    actor.run(new Credits(0, 1));
    assertTrue(there.writeInt(4, 2));
    said("CLAN_WRITE to 7");
  }

  @Test
  void shouldSendNothingBetweenXoffAndXon() {
    actor.run(new Credits(0, 8));
    actor.run(new Xoff(0, true));
    assertTrue(mapping().writeInt(0, 1));
    said();
    actor.run(new Xoff(0, false));
    said("CLAN_OPEN to 7", "CLAN_WRITE to 7");
    assertEquals(1, nic.inspect().xoffs());
  }

  @Test
  void shouldNotUseCreditsOfAnEarlierLink() {
    actor.run(new Credits(0, 8));
    actor.run(new LinkState(false, HERE));
    actor.run(new LinkState(true, HERE));
    said("Credits 4");
    assertTrue(mapping().writeInt(0, 1));
    said();
    assertEquals(0, nic.inspect().credits());
  }

  @Test
  void shouldPlaceAWriteAndReturnItsBuffers() {
    MemorySegment memory = arena.allocate(64, 8);
    ExportedAperture aperture = nic.export(memory);
    opened();
    said();
    written(aperture, key(aperture), START + 1, 42);
    said("Credits 2");
    assertEquals(42, memory.get(ValueLayout.JAVA_INT, 8));
    assertEquals(4, nic.inspect().counters().bytesPlaced());
  }

  @Test
  void shouldRefuseAWriteWithAnotherKey() {
    MemorySegment memory = arena.allocate(64, 8);
    ExportedAperture aperture = nic.export(memory);
    actor.run(new Credits(0, 8));
    opened();
    said("CLAN_REFUSED to 7 OK"); // The answer to the start of the flow.
    written(aperture, key(aperture) + 1, START + 1, 42);
    assertEquals(0, memory.get(ValueLayout.JAVA_INT, 8));
    assertTrue(said.contains("CLAN_REFUSED to 7 REVOKED"), said.toString());
  }

  @Test
  void shouldTakeNothingAfterAGapAndReportItOnce() {
    MemorySegment memory = arena.allocate(64, 8);
    ExportedAperture aperture = nic.export(memory);
    actor.run(new Credits(0, 8));
    opened();
    said.clear();
    written(aperture, key(aperture), START + 5, 42);
    written(aperture, key(aperture), START + 1, 43);
    assertEquals(0, memory.get(ValueLayout.JAVA_INT, 8));
    assertEquals(1, said.stream().filter("CLAN_REFUSED to 7 BROKEN"::equals).count(), said.toString());
  }

  @Test
  void shouldAnswerAnInspection() {
    TestInbox<NicSnapshot> asked = TestInbox.create();
    nic.export(arena.allocate(64, 8));
    actor.run(new NicActor.Inspect(asked.getRef()));
    NicSnapshot snapshot = asked.receiveMessage();
    assertEquals(HERE, snapshot.lid());
    assertEquals(1, snapshot.apertures().size());
  }

  @Test
  void shouldCountAMessageThatItDoesNotKnow() {
    actor.run(new HardwareMessage() { });
    assertEquals(1, nic.inspect().counters().unknownMessages());
    assertTrue(actor.isAlive());
  }

  @Test
  void shouldFailWithoutASwitchPort() {
    String why = assertThrows(IllegalStateException.class, () -> actor.run(new SwitchActor.AttachRefused(nic.name(), "all are taken")))
        .getMessage();
    assertTrue(why.contains("all are taken"), why);
  }

  @Test
  void shouldEndOnlyWhenItIsClosedAndItsLinkIsDown() {
    actor.run(new LinkState(false, HERE));
    actor.run(new LinkState(true, HERE));
    nic.close();
    assertTrue(actor.isAlive());
    actor.run(new LinkState(false, HERE));
    assertFalse(actor.isAlive());
  }
}
