package dev.weft.tripwire.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.typesafe.config.ConfigFactory;
import dev.weft.hca.node.LocalFabric;
import dev.weft.hca.verbs.ReceiveContext;
import dev.weft.tripwire.nic.Descriptor;
import dev.weft.tripwire.nic.LocalAperture;
import dev.weft.tripwire.nic.Nic;
import dev.weft.tripwire.nic.RemoteAperture;
import dev.weft.tripwire.nic.Rights;
import dev.weft.tripwire.nic.Tripwire;
import dev.weft.tripwire.nic.Watch;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** One write through an aperture that a Tripwire tells of, in both clocks. */
@Tag("simulation")
class FirstWriteTest {
  private static final long SECOND = 1_000_000_000L;

  @Test
  void shouldTellOfAWriteInVirtualTime() {
    try (VirtualPair pair = new VirtualPair(1)) {
      MemorySegment memory = pair.memory(8192);
      LocalAperture aperture = pair.far.export(memory);
      RemoteAperture mapping = pair.near.map(Descriptor.fromBytes(aperture.descriptor(Rights.WRITE).toBytes(), 0));
      List<Integer> seen = new ArrayList<>();
      Tripwire tripwire = pair.far.tripwire().set(aperture, Watch.WRITE, 4096, 4, false)
          .onFired((wire, firings) -> seen.add(memory.get(ValueLayout.JAVA_INT, 4096)), ReceiveContext.ISR);
      tripwire.arm();
      assertTrue(mapping.writeInt(4092, 7));
      assertTrue(mapping.writeInt(4096, 42));
      assertTrue(mapping.writeInt(4100, 8));
      pair.run();
      assertEquals(List.of(42), seen);
      assertTrue(tripwire.take());
      assertFalse(tripwire.take());
      assertEquals(1, tripwire.counted());
      assertEquals(7, memory.get(ValueLayout.JAVA_INT, 4092));
    }
  }

  @Test
  void shouldTellAThreadThatWaitsInRealTime() {
    try (LocalFabric fabric = LocalFabric.start(ConfigFactory.empty()); Arena arena = Arena.ofShared()) {
      Nic near = NicDevice.start(fabric, fabric.addNode("near"));
      Nic far = NicDevice.start(fabric, fabric.addNode("far"));
      MemorySegment memory = arena.allocate(8192, 8);
      LocalAperture aperture = far.export(memory);
      RemoteAperture mapping = near.map(aperture.descriptor(Rights.ALL));
      Tripwire tripwire = far.tripwire().set(aperture, Watch.WRITE, 0, 8, true);
      for (int round = 1; round <= 1000; round++) {
        tripwire.arm();
        mapping.writeLong(0, round);
        assertTrue(tripwire.await(round % 2 == 0 ? 0 : 50_000, 10 * SECOND), "round " + round);
        assertEquals(round, memory.get(ValueLayout.JAVA_LONG, 0));
      }
      assertEquals(1000, tripwire.counted());
      assertEquals(near.lidOf("far"), far.lid());
    }
  }
}
