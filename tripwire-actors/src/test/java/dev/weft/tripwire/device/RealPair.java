package dev.weft.tripwire.device;

import com.typesafe.config.ConfigFactory;
import dev.weft.hca.node.LocalFabric;
import dev.weft.tripwire.nic.LocalAperture;
import dev.weft.tripwire.nic.Nic;
import dev.weft.tripwire.nic.RemoteAperture;
import dev.weft.tripwire.nic.Rights;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.AfterEach;

/** Two hosts with a NIC each, in real time, and 64 KiB of the far one mapped at the near one. For tests to extend. */
abstract class RealPair {
  final LocalFabric fabric = LocalFabric.start(ConfigFactory.empty());
  final Arena arena = Arena.ofShared();
  final Nic near = NicDevice.start(fabric, fabric.addNode("near"));
  final Nic far = NicDevice.start(fabric, fabric.addNode("far"));
  final MemorySegment memory = arena.allocate(1 << 16, 64);
  final LocalAperture aperture = far.export(memory);
  final RemoteAperture mapping = near.map(aperture.descriptor(Rights.ALL));

  @AfterEach
  void close() {
    fabric.close();
    arena.close();
  }
}
