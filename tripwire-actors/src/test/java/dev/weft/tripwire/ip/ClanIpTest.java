package dev.weft.tripwire.ip;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.weft.fabric.link.LinkFaults;
import dev.weft.fabric.link.LinkProfile;
import dev.weft.hca.node.VirtualFabric;
import dev.weft.tripwire.connect.Caller;
import dev.weft.tripwire.device.NicDevice;
import dev.weft.tripwire.message.QueueReceiver;
import dev.weft.tripwire.message.QueueSender;
import dev.weft.tripwire.nic.Endpoint;
import dev.weft.tripwire.nic.Nic;
import dev.weft.tripwire.nic.NicException;
import dev.weft.tripwire.nic.NicSnapshot;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** IP over CLAN in virtual time, with lists in the place of kernels. */
@Tag("simulation")
class ClanIpTest {
  private static final long SECOND = 1_000_000_000L;
  private static final int NEAR = 0x0a000001;
  private static final int FAR = 0x0a000002;
  private static final int THIRD = 0x0a000003;
  private static final int NUMBER_AT = 24;

  private final VirtualFabric fabric = new VirtualFabric(11, new LinkProfile(1_000, 1_000_000_000L), LinkFaults.NONE,
      ConfigFactory.empty());
  private final Nic near = nic("near");
  private final Nic far = nic("far");
  /** What the far kernel was given, until it is released. */
  private final List<PacketReceiver.Packet> held = new ArrayList<>();
  private final List<Integer> farGot = new ArrayList<>();
  private final List<Integer> nearGot = new ArrayList<>();
  private boolean farHolds;
  private ClanIp nearIp;
  private ClanIp farIp;

  private Nic nic(String name) {
    Nic nic = NicDevice.start(fabric, fabric.addNode(name));
    assertTrue(fabric.system().runUntil(() -> nic.lid() != 0, SECOND));
    return nic;
  }

  private void start(String settings) {
    Config config = ConfigFactory.parseString(settings).withFallback(ConfigFactory.load());
    IpSettings parsed = IpSettings.from(config);
    nearIp = new ClanIp(near, parsed, Map.of(FAR, "far"), packet -> {
      nearGot.add(number(packet));
      nearIp.release(packet);
      return true;
    });
    farIp = new ClanIp(far, parsed, Map.of(NEAR, "near"), packet -> {
      farGot.add(number(packet));
      if (farHolds) {
        held.add(packet);
      } else {
        farIp.release(packet);
      }
      return true;
    });
    run();
  }

  private void run() {
    fabric.system().runFor(SECOND / 10);
  }

  @AfterEach
  void close() {
    fabric.close();
  }

  private static int number(PacketReceiver.Packet packet) {
    int number = packet.bytes().get(ClanIp.INT, NUMBER_AT);
    for (long i = NUMBER_AT + 4; i < packet.bytes().byteSize(); i++) {
      assertEquals((byte) number, packet.bytes().get(ValueLayout.JAVA_BYTE, i));
    }
    return number;
  }

  /** Sends packet {@code number}; false if all buffers are in use. */
  private static boolean send(ClanIp from, int to, int number, int length) {
    PacketBuffer packet = from.free().poll();
    if (packet == null) {
      return false;
    }
    packet.memory().fill((byte) number);
    packet.memory().set(ValueLayout.JAVA_BYTE, 0, (byte) 0x45);
    packet.memory().set(ClanIp.INT, 16, to);
    packet.memory().set(ClanIp.INT, NUMBER_AT, number);
    packet.setLength(length);
    from.send(packet);
    return true;
  }

  private static List<Integer> upTo(int count) {
    List<Integer> numbers = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      numbers.add(i);
    }
    return numbers;
  }

  @Test
  void shouldSetUpALinkOnDemandAndKeepTheOrder() {
    start("");
    assertEquals(0, nearIp.counters().linksOpened());
    for (int i = 0; i < 1000; i++) {
      while (!send(nearIp, FAR, i, 40 + i)) {
        run();
      }
      if (i % 3 == 0) {
        assertTrue(send(farIp, NEAR, i / 3, 1500));
      }
      if (i % 100 == 0) {
        run();
      }
    }
    run();
    assertEquals(upTo(1000), farGot);
    assertEquals(upTo(334), nearGot);
    assertEquals(1000, nearIp.counters().sent());
    assertEquals(1000, farIp.counters().received());
    assertEquals(2, nearIp.counters().linksOpened(), "one each way");
    assertEquals(256, nearIp.free().size(), "all buffers came back");
  }

  /** No cookie, no transfer: the receiver's buffers bound what is under way, and nothing is lost. */
  @Test
  void shouldStallWhileTheReceiverOffersNothing() {
    start("weft.tripwire.ip.buffers = 4, weft.tripwire.ip.queue-packets = 10");
    farHolds = true;
    for (int i = 0; i < 9; i++) {
      assertTrue(send(nearIp, FAR, i, 200));
    }
    run();
    assertEquals(upTo(4), farGot);
    assertEquals(4, nearIp.counters().sent());
    assertTrue(nearIp.counters().stalls() > 0);
    for (int round = 0; round < 5; round++) {
      held.forEach(farIp::release);
      held.clear();
      run();
    }
    assertEquals(upTo(9), farGot);
  }

  @Test
  void shouldNotLetOneNeighbourHoldUpAnother() {
    Nic third = nic("third");
    Config config = ConfigFactory.parseString("weft.tripwire.ip.buffers = 4").withFallback(ConfigFactory.load());
    nearIp = new ClanIp(near, IpSettings.from(config), Map.of(FAR, "far", THIRD, "third"), packet -> false);
    farIp = new ClanIp(far, IpSettings.from(config), Map.of(), packet -> held.add(packet));
    List<Integer> thirdGot = new ArrayList<>();
    ClanIp[] thirdIp = new ClanIp[1];
    thirdIp[0] = new ClanIp(third, IpSettings.from(config), Map.of(), packet -> {
      thirdGot.add(number(packet));
      thirdIp[0].release(packet);
      return true;
    });
    run();
    for (int i = 0; i < 20; i++) {
      assertTrue(send(nearIp, FAR, i, 100));
      assertTrue(send(nearIp, THIRD, i, 100));
    }
    run();
    assertEquals(4, held.size());
    assertEquals(upTo(20), thirdGot);
  }

  @Test
  void shouldGiveUpAHostThatIsLost() {
    start("");
    NicSnapshot before = near.inspect();
    farHolds = true;
    for (int i = 0; i < 100; i++) {
      assertTrue(send(nearIp, FAR, i, 1000));
    }
    run();
    assertEquals(64, farGot.size());
    fabric.loseNode("far/nic");
    fabric.system().runFor(5 * SECOND);
    assertEquals(1, nearIp.counters().linksFailed());
    assertEquals(36, nearIp.counters().unreachable());
    assertEquals(256, nearIp.free().size());
    assertEquals(before.apertures(), near.inspect().apertures());
    assertEquals(before.mappings(), near.inspect().mappings());
  }

  @Test
  void shouldDropWhatFindsNoRoomAndCountIt() {
    start("weft.tripwire.ip.buffers = 4, weft.tripwire.ip.queue-packets = 10");
    farHolds = true;
    for (int i = 0; i < 4; i++) {
      assertTrue(send(nearIp, FAR, i, 200));
    }
    run();
    assertEquals(4, farGot.size(), "then the receiver has no buffer left");
    for (int i = 4; i < 30; i++) {
      assertTrue(send(nearIp, FAR, i, 200));
    }
    run();
    assertEquals(4, farGot.size());
    assertEquals(30 - 4 - 10, nearIp.counters().queueFull());
    assertEquals(256 - 10, nearIp.free().size());
  }

  @Test
  void shouldDropPacketsForNobody() {
    start("");
    send(nearIp, 0x0a000063, 1, 100);
    PacketBuffer sixth = nearIp.free().remove();
    sixth.memory().fill((byte) 0x60);
    sixth.setLength(100);
    nearIp.send(sixth);
    run();
    assertEquals(2, nearIp.counters().noRoute());
    assertEquals(256, nearIp.free().size());
  }

  @Test
  void shouldRefuseALinkOfLongerPackets() {
    IpSettings settings = IpSettings.from(ConfigFactory.load());
    IpSettings jumbo = new IpSettings(4, 9000, 64, 256, 128, 64, SECOND, SECOND, SECOND);
    nearIp = new ClanIp(near, jumbo, Map.of(FAR, "far"), packet -> false);
    farIp = new ClanIp(far, settings, Map.of(), packet -> false);
    run();
    send(nearIp, FAR, 1, 100);
    run();
    assertEquals(0, nearIp.counters().linksOpened());
    assertEquals(1, nearIp.counters().unreachable());
    assertEquals(1, nearIp.counters().linksFailed());
  }

  @Test
  void shouldEndTheLinkOfATransmitterThatBreaksTheRules() {
    start("");
    NicSnapshot before = far.inspect();
    Endpoint endpoint = near.endpoint(0);
    QueueReceiver cookies = new QueueReceiver(near, Wire.COOKIE_BYTES, 9);
    QueueSender completions = new QueueSender(near, Wire.COMPLETION_BYTES, 9);
    Wire.Call call = new Wire.Call(9, 1500, cookies.descriptor(), completions.descriptor());
    Caller caller = new Caller(near, endpoint, far.lid(), 4, call.toBytes());
    for (int i = 0; i < 10 && caller.step() != Caller.State.ACCEPTED; i++) {
      run();
    }
    Wire.Answer answer = Wire.Answer.of(caller.answer());
    cookies.connect(answer.cookies());
    completions.connect(answer.completions());
    run();
    int offered = 0;
    for (; cookies.peek() != null; cookies.release()) {
      offered++;
    }
    assertEquals(8, offered, "not more than fit into the queue");
    MemorySegment completion = Arena.ofAuto().allocate(Wire.COMPLETION_BYTES, 8);
    Wire.putCompletion(completion, 8, 100);
    assertTrue(completions.tryEnqueue(completion, 0));
    run();
    assertEquals(1, farIp.counters().linksFailed());
    assertEquals(List.of(), farGot);
    assertEquals(before.apertures(), far.inspect().apertures());
    assertEquals(before.tripwires(), far.inspect().tripwires());
  }

  /** A host that goes away costs its packets; when it comes back, links are made anew, and nothing has leaked. */
  @Test
  void shouldGoOnWithAHostThatBeginsAnew() {
    start("weft.tripwire.ip.check-interval = 10 ms");
    send(nearIp, FAR, 0, 100);
    run();
    NicSnapshot before = near.inspect();
    for (int round = 1; round <= 5; round++) {
      farIp.close();
      run();
      for (int i = 0; i < 3; i++) {
        send(nearIp, FAR, 77, 100);
        run();
      }
      IpSettings settings = IpSettings.from(ConfigFactory.load());
      farIp = new ClanIp(far, settings, Map.of(NEAR, "near"), packet -> {
        farGot.add(number(packet));
        farIp.release(packet);
        return true;
      });
      fabric.system().runFor(SECOND);
      send(nearIp, FAR, round, 100);
      run();
      run();
    }
    assertEquals(List.of(0, 1, 2, 3, 4, 5), farGot.stream().filter(number -> number != 77).toList());
    NicSnapshot after = near.inspect();
    assertEquals(before.apertures().size(), after.apertures().size());
    assertEquals(before.mappings().size(), after.mappings().size());
    assertEquals(before.endpoints().size(), after.endpoints().size());
    assertEquals(before.tripwires(), after.tripwires());
    assertEquals(256, nearIp.free().size());
  }

  /** Packets are under way when the refusal of the first completion comes. */
  @Test
  void shouldGoOnAfterPacketsAtOnceToAHostThatBeginsAnew() {
    start("weft.tripwire.ip.check-interval = 10 ms");
    send(nearIp, FAR, 0, 100);
    run();
    farIp.close();
    run();
    for (int i = 0; i < 40; i++) {
      send(nearIp, FAR, 77, 1500);
    }
    run();
    assertEquals(1, nearIp.counters().linksFailed());
    assertEquals(256, nearIp.free().size());
    farIp = new ClanIp(far, IpSettings.from(ConfigFactory.load()), Map.of(NEAR, "near"), packet -> {
      farGot.add(number(packet));
      farIp.release(packet);
      return true;
    });
    fabric.system().runFor(SECOND);
    send(nearIp, FAR, 1, 100);
    run();
    run();
    assertEquals(List.of(0, 1), farGot);
  }

  @Test
  void shouldCheckItsSettings() {
    assertThrows(IllegalArgumentException.class, () -> new IpSettings(4, 67, 64, 256, 128, 64, SECOND, SECOND, SECOND));
    assertThrows(NicException.class, () -> Wire.Call.of(new byte[12]));
    assertThrows(NicException.class, () -> Wire.Answer.of(new byte[63]));
  }
}
