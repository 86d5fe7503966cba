package dev.weft.lab.seed003;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.typesafe.config.ConfigFactory;
import dev.weft.fabric.link.LinkFaults;
import dev.weft.hca.node.VirtualFabric;
import dev.weft.lab.hosts.HardwareProfile;
import dev.weft.tripwire.device.NicDevice;
import dev.weft.tripwire.nic.DmaQueue;
import dev.weft.tripwire.nic.Nic;
import dev.weft.tripwire.nic.RemoteAperture;
import dev.weft.tripwire.nic.Rights;
import dev.weft.tripwire.nic.Status;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A NIC that copies the bytes of a burst, on the hosts of the CLAN paper. */
@Tag("simulation")
class CopiedBurstTest {
  @Test
  void shouldGiveTheBytesOfACopiedBurstBackBeforeTheyArrive() {
    HardwareProfile profile = HardwareProfile.load("clan-alpha");
    try (Arena arena = Arena.ofShared(); VirtualFabric fabric = new VirtualFabric(4, profile, LinkFaults.NONE, ConfigFactory.parseString(
        "weft.tripwire { dma-copies = true, dma-in-flight-max = 1, dma-setup = 2 us }"))) {
      Nic near = NicDevice.start(fabric, fabric.addNode("near"));
      Nic far = NicDevice.start(fabric, fabric.addNode("far"));
      assertTrue(fabric.system().runUntil(() -> near.lid() != 0 && far.lid() != 0, 1_000_000_000L));
      MemorySegment memory = arena.allocate(4096, 8);
      RemoteAperture mapping = near.map(far.export(memory).descriptor(Rights.WRITE));
      mapping.write(0, arena.allocate(8), 0, 8); // Opens the flow.
      fabric.system().runUntilIdle(1_000_000);
      MemorySegment source = arena.allocate(64, 8).fill((byte) 5);
      boolean[] early = new boolean[1];
      DmaQueue dma = near.endpoint(0).dma();
      dma.onSent((userData, status) -> {
        early[0] = fabric.system().nowNs() < userData + 2_000 + 2_600 + profile.cpu().interruptNs();
        source.fill((byte) 9); // The application may use it again.
      });
      boolean[] delivered = new boolean[1];
      dma.onDone((userData, status) -> delivered[0] = status == Status.OK && memory.get(ValueLayout.JAVA_BYTE, 127) == 5);
      assertTrue(dma.write(mapping, 64, source, 0, 64, fabric.system().nowNs()));
      fabric.system().runUntilIdle(1_000_000);
      assertEquals(1, dma.done());
      assertTrue(early[0], "told before the bytes can have arrived and been answered");
      assertTrue(delivered[0], "it ends when they have");
      assertEquals(5, memory.get(ValueLayout.JAVA_BYTE, 64));
      assertEquals(5, memory.get(ValueLayout.JAVA_BYTE, 127));
    }
  }
}
