package dev.weft.lab.seed003;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.weft.fabric.link.LinkFaults;
import dev.weft.hca.node.VirtualFabric;
import dev.weft.lab.hosts.HardwareProfile;
import dev.weft.tripwire.device.NicDevice;
import dev.weft.tripwire.nic.LocalAperture;
import dev.weft.tripwire.nic.Nic;
import dev.weft.tripwire.nic.RemoteAperture;
import dev.weft.tripwire.nic.Rights;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/** Two hosts of a profile, each with memory that the other may write. */
final class ClanFabric implements AutoCloseable {
  private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();
  private static final long ATTACH_MAX_NS = 1_000_000_000L;

  final HardwareProfile profile;
  final VirtualFabric fabric;
  final Side client;
  final Side server;
  private final Arena arena = Arena.ofShared();

  /** One host. */
  static final class Side {
    final Nic nic;
    final MemorySegment memory;
    final LocalAperture aperture;
    RemoteAperture peer;

    Side(Nic nic, MemorySegment memory) {
      this.nic = nic;
      this.memory = memory;
      aperture = nic.export(memory);
    }

    long word(long offset) {
      return (long) LONG.getAcquire(memory, offset);
    }
  }

  /**
   * A pair.
   *
   * @param settings over those of the paper's NIC and of reference.conf
   */
  ClanFabric(HardwareProfile profile, long seed, long memoryBytes, String settings) {
    this.profile = profile;
    fabric = new VirtualFabric(seed, profile, LinkFaults.NONE,
        ConfigFactory.parseString(settings).withFallback(paperNic(profile)));
    client = side("client", memoryBytes);
    server = side("server", memoryBytes);
    client.peer = client.nic.map(server.aperture.descriptor(Rights.ALL));
    server.peer = server.nic.map(client.aperture.descriptor(Rights.ALL));
  }

  /**
   * The NIC of seed 003: each firing puts an identifier into the FIFO and raises an interrupt (section 2.5); one DMA at a time, whose
   * interrupt starts the next, and which is done when its bytes have left (section 5.3.2).
   */
  private static Config paperNic(HardwareProfile profile) {
    return ConfigFactory.parseString("weft.tripwire { fifo-batch = 1, dma-in-flight-max = 1, dma-copies = true, dma-setup = "
        + profile.adapter().dmaSetupNs() + " ns }");
  }

  private Side side(String name, long bytes) {
    Nic nic = NicDevice.start(fabric, fabric.addNode(name));
    if (!fabric.system().runUntil(() -> nic.lid() != 0, ATTACH_MAX_NS)) {
      throw new IllegalStateException("the NIC of " + name + " was not attached");
    }
    return new Side(nic, arena.allocate(bytes, 64));
  }

  @Override
  public void close() {
    fabric.close();
    arena.close();
  }
}
