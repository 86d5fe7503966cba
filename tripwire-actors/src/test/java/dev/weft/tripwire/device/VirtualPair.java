package dev.weft.tripwire.device;


import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.weft.fabric.link.LinkFaults;
import dev.weft.fabric.link.LinkProfile;
import dev.weft.hca.node.VirtualFabric;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Two hosts with a NIC each, in virtual time. */
final class VirtualPair implements AutoCloseable {
  final Arena arena = Arena.ofShared();
  final VirtualFabric fabric;
  final NicDevice near;
  final NicDevice far;

  VirtualPair(long seed) {
    this(seed, LinkFaults.NONE, "");
  }

  VirtualPair(long seed, LinkFaults faults, String settings) {
    Config config = ConfigFactory.parseString(settings);
    fabric = new VirtualFabric(seed, new LinkProfile(1_000, 10_000_000_000L), faults, config);
    near = addNic("near");
    far = addNic("far");
  }

  NicDevice addNic(String name) {
    NicDevice nic = (NicDevice) NicDevice.start(fabric, fabric.addNode(name));
    if (!fabric.system().runUntil(() -> nic.lid() != 0, 1_000_000_000L)) {
      throw new IllegalStateException("no LID");
    }
    return nic;
  }

  MemorySegment memory(long bytes) {
    return arena.allocate(bytes, 8);
  }

  void run() {
    fabric.system().runUntilIdle(10_000_000);
  }

  @Override
  public void close() {
    fabric.close();
    arena.close();
  }
}
