package dev.weft.fabric.trunk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import akka.actor.testkit.typed.javadsl.ActorTestKit;
import akka.actor.testkit.typed.javadsl.TestProbe;
import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.weft.fabric.HardwareMessage;
import dev.weft.fabric.admission.FabricKeys;
import dev.weft.fabric.admission.Secrets;
import dev.weft.fabric.cluster.MediaDriverProcess;
import dev.weft.fabric.cluster.MediaDriverSettings;
import dev.weft.fabric.packet.CableMessage.LinkState;
import dev.weft.fabric.packet.Opcode;
import dev.weft.fabric.packet.Packet;
import dev.weft.fabric.packet.Payload;
import dev.weft.fabric.time.RealClock;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import org.agrona.IoUtil;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A trunk over UDP to a JVM of a fabric with a secret. The test's thread is the hardware thread of both ends. */
@Tag("jvms")
@Timeout(180)
class TrunkAdmissionTest {
  private static final int SENDER = 1;
  private static final int RECEIVER = 2;
  private static final int UNKNOWN = 9;

  private static Path parent;
  private static MediaDriverProcess driver;
  private static ActorTestKit kit;

  @BeforeAll
  static void start() throws Exception {
    parent = Files.createTempDirectory(Path.of("/dev/shm"), "weft-test-");
    Config config = ConfigFactory.parseString("akka.actor.provider = local").withFallback(ConfigFactory.load());
    driver = MediaDriverProcess.startOrAttach(MediaDriverSettings.of(config).withDirectory(parent.resolve("driver")));
    kit = ActorTestKit.create("trunk-admission", config);
  }

  @AfterAll
  static void stop() {
    kit.shutdownTestKit();
    driver.close();
    IoUtil.delete(parent.toFile(), true);
  }

  private static TrunkEndpoint endpoint(int number, FabricKeys keys) {
    TrunkSettings udp = TrunkSettings.of(ConfigFactory.parseString("weft.fabric.trunk.transport = udp").withFallback(ConfigFactory.load()));
    TrunkEndpoint endpoint = TrunkEndpoint.open(udp, driver.directory(), driver.driverId(), 1, keys);
    endpoint.setOwnNumber(number);
    return endpoint;
  }

  private static Packet packet(int psn) {
    Payload payload = Payload.of(MemorySegment.ofArray(new byte[8]), 0, 8, () -> {});
    return new Packet(Opcode.RC_RDMA_WRITE_ONLY_WITH_IMM, 1, 2, 0, false, true, Packet.DEFAULT_PKEY, 7, psn, 0x1234L, 99, 8, 0, 0, -5, 0, 0,
        payload);
  }

  /** The way from a JVM with {@code own} keys to one with {@code wanted}. */
  private static final class Way implements AutoCloseable {
    final TrunkEndpoint from;
    final TrunkEndpoint to;
    final TestProbe<HardwareMessage> arrived = kit.createTestProbe(HardwareMessage.class);
    final TrunkReceiver.Inbound inbound;
    final TrunkEndpoint.Line line;
    final TrunkCable cable;

    Way(FabricKeys own, FabricKeys wanted) {
      this(SENDER, own, wanted);
    }

    /** The sender says that it is the JVM {@code number}. */
    Way(int number, FabricKeys own, FabricKeys wanted) {
      from = endpoint(number, own);
      to = endpoint(RECEIVER, wanted);
      inbound = to.receiver().attach(SENDER, arrived.ref(), null);
      inbound.linkState(true);
      inbound.grant(0, 100);
      line = from.connect(RECEIVER, to.address());
      cable = from.lay(line, kit.createTestProbe(HardwareMessage.class).ref(), RealClock.INSTANCE);
    }

    /** Sends a packet as soon as the trunk is there, and polls until it is read or refused. */
    void send(int psn) throws InterruptedException {
      long before = inbound.counters().receivedPackets() + to.receiver().strangeImages();
      boolean sent = false;
      while (inbound.counters().receivedPackets() + to.receiver().strangeImages() == before) {
        if (cable.poll() > 0 && !cable.isUp()) {
          cable.transmit(new LinkState(true, 0));
        }
        if (cable.isUp() && !sent) {
          cable.transmit(packet(psn));
          sent = true;
        }
        to.receiver().poll();
        Thread.sleep(1);
      }
    }

    @Override
    public void close() {
      from.close();
      to.close();
    }
  }

  @Test
  void shouldCarryThePacketsOfAJvmThatHasTheKeys() throws Exception {
    FabricKeys keys = Secrets.of('a').newKeys();
    try (Way way = new Way(keys, keys)) {
      way.send(5);
      assertEquals(5, way.arrived.expectMessageClass(Packet.class).psn());
      way.send(6);
      assertEquals(6, way.arrived.expectMessageClass(Packet.class).psn());
      assertEquals(0, way.to.receiver().strangeImages());
      assertEquals(0, way.inbound.counters().discardedMalformed(), "the proof is no packet");
    }
  }

  @Test
  void shouldRefuseTheTrunkOfAJvmWithoutTheKeys() throws Exception {
    FabricKeys keys = Secrets.of('a').newKeys();
    for (FabricKeys strange : new FabricKeys[] {null, Secrets.of('a').newKeys(), Secrets.of('b').newKeys()}) {
      try (Way way = new Way(strange, keys)) {
        way.send(5);
        assertEquals(1, way.to.receiver().strangeImages());
        for (int i = 0; i < 50; i++) {
          way.to.receiver().poll();
        }
        assertEquals(0, way.inbound.counters().receivedPackets());
        way.arrived.expectNoMessage();
      }
    }
  }

  @Test
  void shouldRefuseTheTrunkOfAStrangerThatIsNoKnownPeer() throws Exception {
    try (Way way = new Way(UNKNOWN, null, Secrets.of('a').newKeys())) {
      way.send(5);
      assertEquals(new TrunkReceiver.Refusals(1, 0, 0), way.to.receiver().refusals());
      while (way.line.publication().isConnected()) {
        way.to.receiver().poll();
        Thread.sleep(1);
      }
    }
  }

  @Test
  void shouldKeepThePacketsOfAJvmThatHasTheKeysUntilItsCableIsLaid() throws Exception {
    FabricKeys keys = Secrets.of('a').newKeys();
    try (Way way = new Way(UNKNOWN, keys, keys)) {
      while (!way.cable.isUp()) {
        if (way.cable.poll() > 0) {
          way.cable.transmit(new LinkState(true, 0));
        }
        Thread.sleep(1);
      }
      way.cable.transmit(packet(5));
      for (int i = 0; i < 300; i++) {
        way.cable.poll();
        way.to.receiver().poll();
        Thread.sleep(1);
      }
      way.arrived.expectNoMessage();
      TrunkReceiver.Inbound late = way.to.receiver().attach(UNKNOWN, way.arrived.ref(), null);
      late.linkState(true);
      late.grant(0, 100);
      while (late.counters().receivedPackets() == 0) {
        way.to.receiver().poll();
        Thread.sleep(1);
      }
      assertEquals(5, way.arrived.expectMessageClass(Packet.class).psn());
      assertEquals(0, way.to.receiver().strangeImages() + late.counters().discardedMalformed());
    }
  }

  @Test
  void shouldTakeTheProofAgainFromAJvmThatHadLostTheConnection() throws Exception {
    FabricKeys keys = Secrets.of('a').newKeys();
    try (Way way = new Way(keys, keys)) {
      way.send(5);
      TrunkCable again = way.from.lay(way.line, kit.createTestProbe(HardwareMessage.class).ref(), RealClock.INSTANCE);
      assertTrue(again.poll() > 0, "it says its proof once more, in the middle");
      way.send(6);
      way.arrived.expectMessageClass(Packet.class);
      assertEquals(6, way.arrived.expectMessageClass(Packet.class).psn());
      assertEquals(0, way.inbound.counters().discardedMalformed() + way.to.receiver().strangeImages());
    }
  }
}
