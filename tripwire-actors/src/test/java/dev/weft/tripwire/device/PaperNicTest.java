package dev.weft.tripwire.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.fabric.link.LinkFaults;
import dev.weft.hca.node.VirtualFabric;
import dev.weft.hca.verbs.ReceiveContext;
import dev.weft.tripwire.nic.DmaQueue;
import dev.weft.tripwire.nic.LocalAperture;
import dev.weft.tripwire.nic.Nic;
import dev.weft.tripwire.nic.RemoteAperture;
import dev.weft.tripwire.nic.Rights;
import dev.weft.tripwire.nic.Watch;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What seed 003's NIC and switch do and ours need not: forwarding from the head on, an interrupt for each firing, DMA that ends early. */
@Tag("simulation")
class PaperNicTest {
  private static final String CUT_THROUGH = "weft.fabric.switch.forwarding = cut-through";
  /** Of a burst of 4 KiB with its header at 10 Gb/s, and of header and first word. */
  private static final long BURST_NS = 3293;
  private static final long HEAD_NS = 20;
  private static final long CABLE_NS = 1000;

  private static long burstNs(String settings) {
    try (VirtualPair pair = new VirtualPair(1, LinkFaults.NONE, settings)) {
      MemorySegment memory = pair.memory(8192);
      RemoteAperture mapping = pair.near.map(pair.far.export(memory).descriptor(Rights.WRITE));
      MemorySegment source = pair.memory(4096).fill((byte) 1);
      mapping.write(0, source, 0, 1); // Opens the flow.
      pair.run();
      long startNs = pair.fabric.system().nowNs();
      mapping.write(4096, source, 0, 4096);
      await(pair.fabric, () -> memory.get(ValueLayout.JAVA_BYTE, 8191) != 0);
      return pair.fabric.system().nowNs() - startNs;
    }
  }

  private static void await(VirtualFabric fabric, BooleanSupplier until) {
    assertTrue(fabric.system().runUntil(until, 1_000_000_000L));
  }

  @Test
  void shouldForwardABurstFromItsHeadOnIfAskedTo() {
    assertEquals(2 * (CABLE_NS + BURST_NS), burstNs(""));
    assertEquals(2 * CABLE_NS + BURST_NS - HEAD_NS, burstNs(CUT_THROUGH));
  }

  /**
   * How many more packets reach a NIC than are sent to it, when one sender writes words that continue each other and another long bursts, 200
   * of each.
   */
  private static long packets(String settings) {
    try (VirtualPair pair = new VirtualPair(2, LinkFaults.NONE,
        "weft.tripwire { outbound-packets = 2048, receive-buffer-packets = 4096, xoff-at-packets = 0, xon-at-packets = 0 }\n" + settings)) {
      Nic third = pair.addNic("third");
      MemorySegment memory = pair.memory(1 << 14);
      LocalAperture aperture = pair.far.export(memory);
      RemoteAperture words = pair.near.map(aperture.descriptor(Rights.WRITE));
      RemoteAperture bursts = third.map(aperture.descriptor(Rights.WRITE));
      MemorySegment block = pair.memory(4096);
      for (int i = 0; i < 200; i++) {
        block.fill((byte) i);
        assertTrue(words.writeInt(i * 4L, i));
        assertTrue(bursts.write(8192, block, 0, 4096));
      }
      pair.run();
      for (int i = 0; i < 200; i++) {
        assertEquals(i, memory.get(ValueLayout.JAVA_INT, i * 4L));
      }
      assertEquals(-1, memory.asSlice(8192, 4096).mismatch(block));
      assertEquals(0, pair.far.inspect().counters().gaps());
      long sent = pair.near.inspect().counters().packetsSent() + third.inspect().counters().packetsSent();
      assertTrue(sent >= 2 + 200 + 200);
      return pair.far.inspect().counters().packetsReceived() - sent;
    }
  }

  @Test
  void shouldCutAndJoinBurstsThatWaitForTheWire() {
    assertEquals(0, packets("weft.fabric.switch { burst-quantum = 512, burst-max = 4096 }"), "the cable holds what waits");
    assertTrue(packets(CUT_THROUGH + "\nweft.fabric.switch { burst-quantum = 0, burst-max = 4096 }") < 0, "joined");
    assertTrue(packets(CUT_THROUGH + "\nweft.fabric.switch { burst-quantum = 512, burst-max = 0 }") > 0, "cut");
    assertEquals(0, packets(CUT_THROUGH + "\nweft.fabric.switch { burst-quantum = 0, burst-max = 0 }"));
  }

  @Test
  void shouldRaiseAnInterruptForEachFiringIfAskedTo() {
    try (VirtualPair pair = new VirtualPair(3, LinkFaults.NONE, "weft.tripwire.fifo-batch = 1")) {
      LocalAperture aperture = pair.far.export(pair.memory(64));
      RemoteAperture mapping = pair.near.map(aperture.descriptor(Rights.WRITE));
      long[] told = new long[3];
      for (int i = 0; i < told.length; i++) {
        int index = i;
        pair.far.tripwire().set(aperture, Watch.WRITE, 8L * i, 8, false)
            .onFired((wire, firings) -> told[index] += firings, ReceiveContext.ISR).arm();
      }
      mapping.write(0, pair.memory(64), 0, 64);
      pair.run();
      assertEquals(3, pair.far.inspect().counters().interrupts());
      assertEquals(3, told[0] + told[1] + told[2]);
    }
  }

  @Test
  void shouldEndEachCopiedTransferOnceWhereNothingChargesForReading() {
    try (VirtualPair pair = new VirtualPair(5, LinkFaults.NONE, "weft.tripwire { dma-copies = true, dma-in-flight-max = 2, burst-max = 256 }")) {
      MemorySegment memory = pair.memory(1 << 16);
      RemoteAperture mapping = pair.near.map(pair.far.export(memory).descriptor(Rights.WRITE));
      MemorySegment source = pair.memory(1 << 16).fill((byte) 3);
      DmaQueue dma = pair.near.endpoint(0).dma();
      for (int i = 0; i < 64; i++) {
        assertTrue(dma.write(mapping, i * 1024L, source, i * 1024L, 1024, i));
      }
      pair.run();
      assertEquals(64, dma.done());
      assertEquals(64, pair.near.inspect().counters().interrupts());
      assertEquals(-1, memory.mismatch(source));
    }
  }
}
