package dev.weft.fabric.trunk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import akka.actor.testkit.typed.javadsl.ActorTestKit;
import akka.actor.testkit.typed.javadsl.TestProbe;
import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.weft.fabric.HardwareMessage;
import dev.weft.fabric.cluster.MediaDriverProcess;
import dev.weft.fabric.cluster.MediaDriverSettings;
import dev.weft.fabric.cluster.TestClients;
import dev.weft.fabric.packet.CableMessage.LinkState;
import dev.weft.fabric.packet.Opcode;
import dev.weft.fabric.packet.Packet;
import dev.weft.fabric.packet.PacketCodec;
import dev.weft.fabric.packet.PacketFormatException;
import dev.weft.fabric.packet.Payload;
import dev.weft.fabric.time.RealClock;
import io.aeron.Aeron;
import io.aeron.Subscription;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.agrona.IoUtil;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a trunk puts into UDP datagrams, read by a plain Aeron subscription in the place of the peer. */
@Tag("jvms")
@Timeout(180)
class UdpTrunkTest {
  private static Path parent;
  private static MediaDriverProcess driver;
  private static ActorTestKit kit;

  @BeforeAll
  static void start() throws Exception {
    parent = Files.createTempDirectory(Path.of("/dev/shm"), "weft-test-");
    Config config = ConfigFactory.parseString("akka.actor.provider = local").withFallback(ConfigFactory.load());
    driver = MediaDriverProcess.startOrAttach(MediaDriverSettings.of(config).withDirectory(parent.resolve("driver")));
    kit = ActorTestKit.create("udp-trunk", config);
  }

  @AfterAll
  static void stop() {
    kit.shutdownTestKit();
    driver.close();
    IoUtil.delete(parent.toFile(), true);
  }

  private static TrunkSettings settings(String overrides) {
    return TrunkSettings.of(ConfigFactory.parseString("weft.fabric.trunk { " + overrides + " }").withFallback(ConfigFactory.load()));
  }

  private static Packet packet(int psn, byte[] data) {
    Payload payload = Payload.of(MemorySegment.ofArray(data), 0, data.length, () -> {});
    return new Packet(Opcode.RC_RDMA_WRITE_ONLY_WITH_IMM, 1, 2, 0, false, true, Packet.DEFAULT_PKEY, 7, psn, 0x1234L, 99,
        data.length, 0, 0, -5, 0, 0, payload);
  }

  /** Sends {@code packets} over a cable to a peer on UDP and returns the frames that arrive there. */
  private static List<byte[]> framesOf(TrunkSettings settings, int peerUdpPathMtu, int frames, Packet... packets) throws Exception {
    TestProbe<HardwareMessage> port = kit.createTestProbe(HardwareMessage.class);
    try (TrunkEndpoint endpoint = TrunkEndpoint.open(settings, driver.directory(), driver.driverId(), 1);
        Aeron peer = TestClients.connect(driver.directory());
        Subscription subscription = peer.addSubscription("aeron:udp?endpoint=127.0.0.1:0", 1)) {
      endpoint.setOwnNumber(1);
      while (subscription.localSocketAddresses().isEmpty()) {
        Thread.sleep(5);
      }
      TrunkEndpoint.Line line = endpoint.connect(2,
          new TrunkAddress("of another host", 0, subscription.localSocketAddresses().getFirst(), 32_768, peerUdpPathMtu));
      assertTrue(line.overUdp());
      TrunkCable cable = endpoint.lay(line, port.ref(), RealClock.INSTANCE);
      while (cable.poll() == 0) {
        Thread.sleep(5);
      }
      cable.transmit(new LinkState(true, 0));
      for (Packet packet : packets) {
        cable.transmit(packet);
      }
      List<byte[]> got = new ArrayList<>();
      while (got.size() < frames) {
        cable.poll(); // A driver that has not run meanwhile pushes back; the packet waits in the cable then.
        subscription.poll((buffer, offset, length, header) -> {
          byte[] frame = new byte[length];
          buffer.getBytes(offset, frame);
          got.add(frame);
        }, 10);
        Thread.sleep(1);
      }
      assertEquals(packets.length - frames, cable.counters().discardedInvalid());
      return got;
    }
  }

  private static Packet decode(byte[] frame) throws PacketFormatException {
    UnsafeBuffer buffer = new UnsafeBuffer(frame);
    return new PacketCodec().decode(buffer, TrunkFrame.HEADER_LENGTH, frame.length - TrunkFrame.HEADER_LENGTH, 1, 2, 0,
        TrunkFrame.hasIcrc(TrunkFrame.header(buffer, 0)), () -> {});
  }

  @Test
  void shouldProtectEachPacketOverUdpWithAnIcrc() throws Exception {
    byte[] data = {1, 2, 3, 4, 5, 6, 7, 8};
    byte[] frame = framesOf(settings("transport = auto"), 1024, 1, packet(5, data)).getFirst();
    assertTrue(TrunkFrame.hasIcrc(TrunkFrame.header(new UnsafeBuffer(frame), 0)), "the frame says that its ICRC counts");
    assertEquals(5, decode(frame).psn());
    for (int at = TrunkFrame.HEADER_LENGTH + 12; at < frame.length; at++) { // From the end of the BTH to the ICRC itself.
      byte[] damaged = frame.clone();
      damaged[at] ^= 0x10;
      assertThrows(PacketFormatException.class, () -> decode(damaged), "byte " + at + " was damaged unnoticed");
    }
  }

  @Test
  void shouldCarryWhatTheEndWithTheNarrowerNetworkTakes() throws Exception {
    List<byte[]> frames = framesOf(settings("udp-path-mtu = 4096"), 1024, 1, packet(1, new byte[4096]), packet(2, new byte[1024]));
    assertEquals(2, decode(frames.getFirst()).psn());
  }

  @Test
  void shouldNotLetUdpExceedThePathMtuOfThisJvm() throws Exception {
    List<byte[]> frames =
        framesOf(settings("path-mtu = 2048, udp-path-mtu = 4096"), 4096, 1, packet(1, new byte[4096]), packet(2, new byte[2048]));
    assertEquals(2, decode(frames.getFirst()).psn());
  }

  @ParameterizedTest
  @CsvSource({"1500,32768,1024", "1400,32768,1024", "9000,32768,8192", "65536,32768,32768", "65536,65424,32768", "9000,2048,2048",
      "1280,32768,1024", "576,32768,256", "68,32768,256"})
  void shouldTakeTheLargestPowerOfTwoThatFitsTheInterface(int interfaceMtu, int max, int expected) {
    assertEquals(expected, UdpPath.pathMtu(interfaceMtu, max));
    if (expected > 256) {
      assertTrue(TrunkFrame.mtuFor(expected) + 48 <= interfaceMtu, "IP does not have to cut the datagram");
    }
  }

  @Test
  void shouldLeaveRoomForTheLongerIpHeaderInADatagram() {
    assertEquals(1408, UdpPath.datagramMax(1500, 8192));
    assertEquals(8192, UdpPath.datagramMax(65_536, 8192));
    assertEquals(65_440, UdpPath.datagramMax(65_536, 100_000));
  }

  @Test
  void shouldKnowThatLoopbackIsWide() throws Exception {
    assertTrue(UdpPath.interfaceMtu(InetAddress.getByName("127.0.0.2")) >= 1500);
    assertEquals(1500, UdpPath.interfaceMtu(InetAddress.getByName("192.0.2.1")), "no interface of this host has it");
  }
}
