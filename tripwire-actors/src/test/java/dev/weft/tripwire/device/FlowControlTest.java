package dev.weft.tripwire.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.fabric.link.LinkFaults;
import dev.weft.tripwire.nic.LocalAperture;
import dev.weft.tripwire.nic.Nic;
import dev.weft.tripwire.nic.RemoteAperture;
import dev.weft.tripwire.nic.Rights;
import dev.weft.tripwire.nic.Status;
import dev.weft.tripwire.nic.Tripwire;
import dev.weft.tripwire.nic.Watch;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Many NICs write to one: credits run out, the switch says Xoff, joins and cuts bursts, and everything arrives in order. */
@Tag("simulation")
class FlowControlTest {
  @Test
  void shouldDeliverEverythingInOrderWhenTheReceiverIsSlow() {
    String settings = """
        weft.tripwire { receive-buffer-packets = 4, xoff-at-packets = 6, xon-at-packets = 2, outbound-packets = 2048 }
        weft.fabric.switch { input-buffer-packets = 16, burst-quantum = 64, burst-max = 1024, hoq-lifetime = 10s }
        """;
    try (VirtualPair pair = new VirtualPair(11, LinkFaults.NONE, settings)) {
      Nic third = pair.addNic("third");
      MemorySegment memory = pair.memory(1 << 16);
      LocalAperture aperture = pair.far.export(memory);
      RemoteAperture first = pair.near.map(aperture.descriptor(Rights.WRITE));
      RemoteAperture second = third.map(aperture.descriptor(Rights.WRITE));
      Tripwire all = pair.far.tripwire().set(aperture, Watch.WRITE, 0, 1 << 16, false);
      all.arm();
      MemorySegment block = pair.memory(512).fill((byte) 7);
      for (int i = 0; i < 1000; i++) {
        assertTrue(first.writeInt(i * 4L, i));
        assertTrue(second.write(1 << 15, block, 0, 512));
      }
      pair.run();
      for (int i = 0; i < 1000; i++) {
        assertEquals(i, memory.get(ValueLayout.JAVA_INT, i * 4L));
      }
      assertEquals(Status.OK, first.status());
      assertEquals(Status.OK, second.status());
      assertEquals(0, pair.far.inspect().counters().gaps());
      assertTrue(third.inspect().xoffs() > 0, "the switch has said Xoff");
      long packets = pair.far.inspect().counters().packetsReceived();
      assertTrue(packets != 2002, "bursts were joined or cut on the way: " + packets);
      assertTrue(all.counted() >= 1000 && all.counted() <= 2000, "told " + all.counted());
    }
  }
}
