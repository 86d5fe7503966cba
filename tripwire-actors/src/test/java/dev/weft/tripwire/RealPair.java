package dev.weft.tripwire;

import com.typesafe.config.ConfigFactory;
import dev.weft.hca.node.LocalFabric;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.AfterEach;

/** Two hosts with a NIC each, in real time, and 64 KiB of the far one mapped at the near one. For tests to extend. */
abstract class RealPair {
  final LocalFabric fabric = LocalFabric.start(ConfigFactory.empty());
  final Arena arena = Arena.ofShared();
  final Nic near = Nic.start(fabric, fabric.addNode("near"));
  final Nic far = Nic.start(fabric, fabric.addNode("far"));
  final MemorySegment memory = arena.allocate(1 << 16, 64);
  final LocalAperture aperture = far.export(memory);
  final RemoteAperture mapping = near.map(aperture.descriptor(Rights.ALL));

  @AfterEach
  void close() {
    fabric.close();
    arena.close();
  }
}
