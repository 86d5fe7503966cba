package dev.weft.fabric.trunk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import akka.actor.testkit.typed.javadsl.ActorTestKit;
import akka.actor.testkit.typed.javadsl.TestProbe;
import akka.actor.typed.ActorRef;
import akka.actor.typed.DispatcherSelector;
import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.weft.fabric.HardwareMessage;
import dev.weft.fabric.cluster.MediaDriverProcess;
import dev.weft.fabric.cluster.MediaDriverSettings;
import dev.weft.fabric.dispatch.HardwareDispatcher;
import dev.weft.fabric.link.DirectCable;
import dev.weft.fabric.packet.CableMessage.Credits;
import dev.weft.fabric.packet.CableMessage.LinkState;
import dev.weft.fabric.packet.CopyCounter;
import dev.weft.fabric.packet.Opcode;
import dev.weft.fabric.packet.Packet;
import dev.weft.fabric.packet.Payload;
import dev.weft.fabric.switching.SwitchActor;
import dev.weft.fabric.switching.SwitchSettings;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.agrona.IoUtil;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Two switches in one JVM, joined by a trunk through a real media driver. */
@Tag("jvms")
@Timeout(180)
class TrunkTest {
  private static final int LANES = 4;
  private static final int LID_A = 1;
  private static final int LID_B = 2;

  private static Path parent;
  private static MediaDriverProcess driver;
  private static ActorTestKit kit;
  private static HardwareDispatcher hardware;

  /** One side: a switch with a trunk and one leaf port, whose far end is a probe. */
  private final class Side implements AutoCloseable {
    final int peerId;
    final TrunkEndpoint endpoint;
    final ActorRef<SwitchActor.Command> leaf;
    final TestProbe<HardwareMessage> hca = kit.createTestProbe(HardwareMessage.class);
    ActorRef<HardwareMessage> hcaPort;
    TrunkCable cable;

    Side(int id, TrunkSettings settings) {
      peerId = id;
      endpoint = TrunkEndpoint.open(settings, driver.directory(), driver.driverId(), LANES);
      endpoint.setOwnNumber(id);
      hardware.addPoller(endpoint.receiver());
      leaf = kit.spawn(SwitchActor.create(SwitchSettings.from(kit.system().settings().config()),
          HardwareDispatcher.realContext(kit.system()), DispatcherSelector.fromConfig(HardwareDispatcher.CONFIG_PATH)),
          DispatcherSelector.fromConfig(HardwareDispatcher.CONFIG_PATH));
    }

    void attach(int ownLid, int peerLid, Side other) {
      TestProbe<SwitchActor.AttachReply> replies = kit.createTestProbe(SwitchActor.AttachReply.class);
      leaf.tell(new SwitchActor.AttachPort("hca", ownLid, true, port -> new DirectCable(hca.ref()), replies.ref()));
      hcaPort = ((SwitchActor.PortAttached) replies.receiveMessage()).port();
      TrunkEndpoint.Line line = endpoint.connect(other.peerId, other.endpoint.address());
      leaf.tell(new SwitchActor.AttachPort("trunk", 0, false, port -> {
        cable = endpoint.lay(line, port, HardwareDispatcher.realContext(kit.system()).clock());
        hardware.addPoller(cable);
        return cable;
      }, replies.ref()));
      int number = ((SwitchActor.PortAttached) replies.receiveMessage()).portNumber();
      leaf.tell(new SwitchActor.SetRoute(peerLid, number));
      hca.expectMessage(new LinkState(true, ownLid));
      for (int lane = 0; lane < LANES; lane++) {
        hca.expectMessageClass(Credits.class);
        hcaPort.tell(new Credits(lane, 1 << 10));
      }
    }

    @Override
    public void close() {
      hardware.removePoller(endpoint.receiver());
      hardware.removePoller(cable);
      kit.stop(leaf);
      endpoint.close();
    }
  }

  @BeforeAll
  static void start() throws Exception {
    parent = Files.createTempDirectory(Path.of("/dev/shm"), "weft-test-");
    Config config = ConfigFactory.parseString("akka.actor.provider = local").withFallback(ConfigFactory.load());
    driver = MediaDriverProcess.startOrAttach(MediaDriverSettings.of(config).withDirectory(parent.resolve("driver")));
    kit = ActorTestKit.create("trunk", config);
    hardware = HardwareDispatcher.of(kit.system());
  }

  @AfterAll
  static void stop() {
    kit.shutdownTestKit();
    driver.close();
    IoUtil.delete(parent.toFile(), true);
  }

  private static TrunkSettings settings(String overrides) {
    return TrunkSettings.of(ConfigFactory.parseString(overrides).withFallback(ConfigFactory.load()));
  }

  private static Packet packet(int psn, byte[] data, Runnable onRelease) {
    Payload payload = data.length == 0 ? Payload.EMPTY
        : Payload.of(MemorySegment.ofArray(data), 0, data.length, onRelease);
    return new Packet(Opcode.RC_RDMA_WRITE_ONLY_WITH_IMM, LID_A, LID_B, psn & 15, false, true, Packet.DEFAULT_PKEY, 7,
        psn, 0x1234_5678_9abcL, 99, data.length, 0, 0, -5, 0, 0, payload);
  }

  private void shouldCarry(int packets, TrunkSettings settings) {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    AtomicInteger released = new AtomicInteger();
    int withPayload = 0;
    try (Side a = new Side(1, settings); Side b = new Side(2, settings)) {
      a.attach(LID_A, LID_B, b);
      b.attach(LID_B, LID_A, a);
      ArrayDeque<byte[]> expected = new ArrayDeque<>();
      awaitUp(a);
      awaitUp(b); // Until its port is up too, the receiving side discards.
      for (int i = 0; i < packets; i++) {
        byte[] data = new byte[i == 0 ? settings.pathMtuBytes() : random.nextInt(settings.pathMtuBytes() + 1)];
        random.nextBytes(data);
        expected.add(data);
        withPayload += data.length > 0 ? 1 : 0;
        a.hcaPort.tell(packet(i, data, released::incrementAndGet));
        if (expected.size() > 16) {
          receive(a, b, i - expected.size() + 1, expected.poll(), seed);
        }
      }
      for (int i = packets - expected.size(); !expected.isEmpty(); i++) {
        receive(a, b, i, expected.poll(), seed);
      }
      assertEquals(withPayload, released.get(), "source payloads released once, seed " + seed);
      assertEquals(packets, a.cable.counters().sentPackets());
      assertTrue(a.cable.maxPayloadBytes() >= settings.pathMtuBytes());
    }
  }

  private void awaitUp(Side side) {
    kit.createTestProbe().awaitAssert(Duration.ofSeconds(90), () -> {
      assertTrue(side.cable.isUp());
      return null;
    });
  }

  private void receive(Side from, Side at, int psn, byte[] data, long seed) {
    Packet packet;
    do {
      HardwareMessage message = at.hca.receiveMessage(Duration.ofSeconds(90));
      packet = message instanceof Packet p ? p : null; // Credits for lanes that were sent on may come between.
    } while (packet == null);
    String where = "psn " + psn + " seed " + seed;
    assertEquals(psn, packet.psn(), where);
    assertEquals(data.length, packet.payload().length(), where);
    byte[] got = new byte[data.length];
    packet.payload().copyTo(MemorySegment.ofArray(got), 0, new CopyCounter());
    assertEquals(-1, MemorySegment.ofArray(data).mismatch(MemorySegment.ofArray(got)), where);
    assertEquals(-5, packet.immediate());
    packet.release();
    at.hcaPort.tell(new Credits(psn & 15 & LANES - 1, 1));
  }

  @Test
  void shouldCarryRandomPayloadsIntactOverSharedMemory() {
    shouldCarry(600, settings("weft.fabric.trunk.ipc-term-length = 512 KiB"));
  }

  @Test
  void shouldCarryTheLongestPathMtuOverSharedMemory() {
    shouldCarry(100, settings("weft.fabric.trunk.path-mtu = 65424"));
  }

  @Test
  void shouldCarryRandomPayloadsIntactOverUdpWithIcrc() {
    shouldCarry(200, settings("weft.fabric.trunk { transport = udp, path-mtu = 4096 }"));
  }
}
