package dev.weft.pager;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import akka.actor.typed.javadsl.Behaviors;
import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.weft.fabric.host.DiskCosts;
import dev.weft.fabric.link.LinkFaults;
import dev.weft.fabric.seeds.Seeds;
import dev.weft.hca.netvm.HostVm;
import dev.weft.hca.netvm.NetVmSettings;
import dev.weft.hca.netvm.SimulatedBackingStore;
import dev.weft.hca.node.Node;
import dev.weft.hca.node.VirtualFabric;
import dev.weft.lab.hosts.HardwareProfile;
import dev.weft.lab.hosts.HostVmProcessor;
import dev.weft.lab.hosts.VirtualHost;
import dev.weft.pager.client.PagerClient;
import dev.weft.pager.client.PagerDevice;
import dev.weft.pager.client.PagerSnapshot;
import dev.weft.pager.client.ServerSpec;
import dev.weft.pager.server.MemoryServer;
import dev.weft.pager.server.ServerSettings;
import dev.weft.tripwire.device.NicDevice;
import dev.weft.tripwire.nic.Nic;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The pager on virtual memory of which little is in memory, told of messages by the Tripwires of the CLAN NICs of its hosts: from seeds, on
 * hosts whose interrupts take their time.
 */
@Tag("simulation")
@Timeout(300)
class UnpinnedTripwirePagerTest {
  private static final long SECOND = 1_000_000_000L;
  private static final int AREA = 1 << 20;
  private static final int PAGE = 4096;
  private static final Config SETTINGS = ConfigFactory.parseString("""
      weft.pager.server { memory = 2 MiB, clients-max = 2, registration = unpinned, resident-memory = 256 KiB, notification = tripwire }
      weft.pager.client { pool-size = 512 KiB, credits = 8, notification = tripwire }
      """).withFallback(ConfigFactory.load());

  private static VirtualFabric fabric(long seed) {
    return new VirtualFabric(seed, HardwareProfile.load("clan-alpha"), LinkFaults.NONE, ConfigFactory.empty());
  }

  private static Node host(VirtualFabric fabric, String name) {
    Node node = fabric.addNode(name);
    Nic nic = NicDevice.start(fabric, node);
    assertTrue(fabric.system().runUntil(() -> nic.lid() != 0, SECOND));
    return node;
  }

  private static void startServer(VirtualFabric fabric, String name) {
    Node node = host(fabric, name);
    ServerSettings settings = ServerSettings.from(SETTINGS);
    HostVm vm = new HostVm(new NetVmSettings(PAGE, (int) settings.residentBytes() / PAGE, (int) settings.memoryBytes() / PAGE, 4, 16, 1 << 30),
        new SimulatedBackingStore(fabric.system(), new DiskCosts(20_000, 10_000, 400_000_000, 400_000_000)),
        new HostVmProcessor(VirtualHost.of(fabric, name)));
    node.hca().attachVm(vm);
    MemoryServer.start(node, MemoryServer.SERVICE, settings, vm);
  }

  private static PagerDevice open(VirtualFabric fabric, Node node) {
    fabric.system().runFor(SECOND / 10); // The servers listen by then: their hosts' processors are charged for their start.
    PagerDevice[] opened = new PagerDevice[1];
    String[] refused = new String[1];
    List<ServerSpec> servers = List.of(new ServerSpec("s0", MemoryServer.SERVICE, AREA), new ServerSpec("s1", MemoryServer.SERVICE, AREA));
    PagerClient.open(node, "device", servers, PagerSettings.from(SETTINGS), null, new PagerClient.OpenListener() {
      @Override
      public void onOpen(PagerDevice device) {
        opened[0] = device;
      }

      @Override
      public void onFailed(String reason) {
        refused[0] = reason;
      }
    });
    assertTrue(fabric.system().runUntil(() -> opened[0] != null || refused[0] != null, SECOND));
    assertNull(refused[0]);
    return opened[0];
  }

  /** Reads, writes and trims ranges that do not overlap, several at a time, and compares with a model. */
  private static void use(VirtualFabric fabric, PagerDevice device, long seed) {
    Random random = new Random(seed);
    byte[] model = new byte[2 * AREA];
    int slice = model.length / 6;
    for (int round = 0; round < 60; round++) {
      int[] left = {6};
      List<String> wrong = new ArrayList<>();
      List<BlockDevice.Buffer> held = new ArrayList<>();
      for (int i = 0; i < 6; i++) {
        int length = 1 + random.nextInt(random.nextBoolean() ? 3 * PAGE : device.maxRequestBytes());
        int at = i * slice + random.nextInt(slice - length);
        BlockDevice.Buffer buffer = device.tryAcquire(length, null);
        if (buffer == null || random.nextInt(8) == 0) {
          Arrays.fill(model, at, at + length, (byte) 0);
          device.trim(at, length, errno -> left[0] -= errno == Errno.OK ? 1 : 100);
        } else if (random.nextBoolean()) {
          byte[] data = new byte[length];
          random.nextBytes(data);
          buffer.segment().copyFrom(MemorySegment.ofArray(data));
          System.arraycopy(data, 0, model, at, length);
          device.write(at, buffer, false, errno -> left[0] -= errno == Errno.OK ? 1 : 100);
        } else {
          byte[] wanted = Arrays.copyOfRange(model, at, at + length);
          device.read(at, buffer, errno -> {
            left[0] -= errno == Errno.OK ? 1 : 100;
            if (!Arrays.equals(wanted, buffer.segment().toArray(ValueLayout.JAVA_BYTE))) {
              wrong.add(length + " bytes at " + at);
            }
          });
        }
        if (buffer != null) {
          held.add(buffer);
        }
      }
      int now = round;
      assertTrue(fabric.system().runUntil(() -> left[0] <= 0, 10 * SECOND), () -> "seed " + seed + " round " + now + ": does not end");
      assertEquals(0, left[0], "seed " + seed + " round " + round + ": failed");
      assertEquals(List.of(), wrong, "seed " + seed + " round " + round);
      held.forEach(BlockDevice.Buffer::release);
    }
  }

  private static long run(long seed) {
    try (VirtualFabric fabric = fabric(seed)) {
      startServer(fabric, "s0");
      startServer(fabric, "s1");
      PagerDevice device = open(fabric, host(fabric, "client"));
      use(fabric, device, seed);
      PagerSnapshot[] view = new PagerSnapshot[1];
      device.inspect(fabric.system().spawn(Behaviors.receiveMessage(answer -> {
        view[0] = answer;
        return Behaviors.stopped();
      }), "probe"));
      assertTrue(fabric.system().runUntil(() -> view[0] != null, SECOND));
      assertTrue(view[0].tripwireNotices() > 100, "seed " + seed + ": " + view[0]);
      assertEquals(0, view[0].inFlight());
      return fabric.system().traceHash();
    }
  }

  @Test
  void shouldKeepEveryByteOnVirtualMemoryWithTripwires() {
    long first = run(1);
    assertEquals(first, run(1), "the same seed gives the same trace");
    assertNotEquals(first, run(2));
    Seeds.of(UnpinnedTripwirePagerTest.class, "pager-unpinned-tripwire", 3, 0, 3).run(UnpinnedTripwirePagerTest::run);
  }
}
