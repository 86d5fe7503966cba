package dev.weft.fabric.trunk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import akka.actor.testkit.typed.javadsl.ActorTestKit;
import akka.actor.testkit.typed.javadsl.TestProbe;
import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.weft.fabric.HardwareMessage;
import dev.weft.fabric.cluster.MediaDriverProcess;
import dev.weft.fabric.cluster.MediaDriverSettings;
import dev.weft.fabric.dispatch.HardwareDispatcher;
import dev.weft.fabric.packet.CableMessage;
import dev.weft.fabric.packet.CableMessage.Credits;
import dev.weft.fabric.packet.CableMessage.LinkState;
import dev.weft.fabric.packet.Packet;
import dev.weft.fabric.time.RealClock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.agrona.IoUtil;

/** Ends of trunks through a real media driver in one JVM; probes stand for the switch ports. */
final class TrunkBed implements AutoCloseable {
  static final int LANES = 2;
  static final Duration SOON = Duration.ofSeconds(90);

  private final Path parent;
  final MediaDriverProcess driver;
  final ActorTestKit kit;
  final HardwareDispatcher hardware;
  private final List<End> ends = new ArrayList<>();

  TrunkBed(String name) throws Exception {
    parent = Files.createTempDirectory(Path.of("/dev/shm"), "weft-test-");
    Config config = ConfigFactory.parseString("akka.actor.provider = local").withFallback(ConfigFactory.load());
    driver = MediaDriverProcess.startOrAttach(MediaDriverSettings.of(config).withDirectory(parent.resolve("driver")));
    kit = ActorTestKit.create(name, config);
    hardware = HardwareDispatcher.of(kit.system());
  }

  @Override
  public void close() {
    kit.shutdownTestKit();
    driver.close();
    IoUtil.delete(parent.toFile(), true);
  }

  /** After each test. */
  void closeEnds() throws Exception {
    for (End end : List.copyOf(ends)) {
      end.close();
    }
  }

  void onHardware(Runnable task) throws Exception {
    CountDownLatch done = new CountDownLatch(1);
    hardware.execute(() -> {
      try {
        task.run();
      } finally {
        done.countDown();
      }
    });
    assertTrue(done.await(90, TimeUnit.SECONDS));
  }

  /** Both ends of a trunk that is up. */
  End[] trunk(String overrides, int creditsOfB) throws Exception {
    End a = new End(1, overrides);
    End b = new End(2, overrides);
    a.lay(b);
    b.lay(a);
    a.bringUp(0);
    b.bringUp(creditsOfB);
    return new End[] {a, b};
  }

  /** One end of the trunk and the switch port at it. */
  final class End {
    final int id;
    final TrunkEndpoint endpoint;
    final TestProbe<HardwareMessage> port = kit.createTestProbe(HardwareMessage.class);
    TrunkEndpoint.Line line;
    TrunkCable cable;

    End(int id, String overrides) {
      this.id = id;
      Config config = ConfigFactory.parseString("weft.fabric.trunk { " + overrides + " }");
      endpoint = TrunkEndpoint.open(TrunkSettings.of(config.withFallback(ConfigFactory.load())), driver.directory(),
          driver.driverId(), LANES);
      endpoint.setOwnNumber(id);
      hardware.addPoller(endpoint.receiver());
      ends.add(this);
    }

    void lay(End peer) throws Exception {
      line = endpoint.connect(peer.id, peer.endpoint.address());
      onHardware(() -> {
        cable = endpoint.lay(line, port.ref(), RealClock.INSTANCE);
        hardware.addPoller(cable);
      });
    }

    /** Answers the link state and the first credits as a switch port would, granting {@code credits} on each lane. */
    void bringUp(int credits) throws Exception {
      port.expectMessage(SOON, new LinkState(true, 0));
      transmit(new LinkState(true, 0));
      for (int lane = 0; lane < LANES; lane++) {
        port.expectMessage(new Credits(lane, endpoint.settings().queuePackets()));
        if (credits > 0) {
          transmit(new Credits(lane, credits));
        }
      }
    }

    void close() throws Exception {
      hardware.removePoller(endpoint.receiver());
      hardware.removePoller(cable);
      onHardware(() -> {});
      endpoint.close();
      ends.remove(this);
    }

    void transmit(CableMessage message) throws Exception {
      onHardware(() -> cable.transmit(message));
    }

    Packet expectPacket(int psn) {
      Packet packet = port.expectMessageClass(Packet.class, SOON);
      assertEquals(psn, packet.psn());
      return packet;
    }
  }
}
