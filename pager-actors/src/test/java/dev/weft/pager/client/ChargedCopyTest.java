package dev.weft.pager.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.fabric.link.LinkFaults;
import dev.weft.fabric.time.Clock;
import dev.weft.pager.BlockDevice;
import dev.weft.pager.Errno;
import dev.weft.pager.server.CopyCharge;
import dev.weft.pager.server.MemoryServerSnapshot;
import dev.weft.pager.server.ServerSettings;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What virtual time charges a staged server for copying. */
@Tag("simulation")
class ChargedCopyTest {
  private static final int LENGTH = 1 << 16;
  /** An acknowledgement more or less on the wire: the charge changes what travels together. */
  private static final double WIRE_NS = 1_000;
  private static final long READ_NS = 10_000_000;
  private static final long WRITE_NS = 20_000_000;

  /** One block of 64 KiB takes 10 ms out of the store and 20 ms into it; one processor makes one copy after another. */
  private static CopyCharge oneProcessor(Clock clock) {
    long[] freeNs = {0};
    return (isWrite, bytes) -> freeNs[0] = Math.max(freeNs[0], clock.nowNs()) + (isWrite ? WRITE_NS : READ_NS) * bytes / LENGTH;
  }

  private static ServerSettings server() {
    return SimulatedPager.serverSettings("memory = 8 MiB, clients-max = 4, credits = 16, store = staged, staging-slots = 4");
  }

  private static PagerDevice open(SimulatedPager pager) {
    List<String> refused = new ArrayList<>();
    PagerDevice device = pager.open(pager.fabric.addNode("a"), "a", 1 << 20,
        SimulatedPager.clientSettings("pool-size = 512 KiB, credits = 8, request-timeout = 10 s"), refused);
    assertNotNull(device, refused::toString);
    return device;
  }

  /** Nanoseconds until {@code count} requests that start together have ended. */
  private static long time(SimulatedPager pager, PagerDevice device, boolean isWrite, int count) {
    long from = pager.fabric.system().nowNs();
    int[] left = {count};
    for (int i = 0; i < count; i++) {
      BlockDevice.Buffer buffer = device.tryAcquire(LENGTH, null);
      BlockDevice.Completion done = errno -> {
        assertEquals(Errno.OK, errno);
        buffer.release();
        left[0]--;
      };
      if (isWrite) {
        device.write((long) i * LENGTH, buffer, false, done);
      } else {
        device.read((long) i * LENGTH, buffer, done);
      }
    }
    assertTrue(pager.fabric.system().runUntil(() -> left[0] == 0, SimulatedPager.SECOND));
    return pager.fabric.system().nowNs() - from;
  }

  @Test
  void shouldChargeEachCopyToTheOneProcessorOfTheServer() {
    try (SimulatedPager free = new SimulatedPager(1, LinkFaults.NONE, 1, server());
        SimulatedPager charged = new SimulatedPager(1, LinkFaults.NONE, 1, server(), ChargedCopyTest::oneProcessor)) {
      PagerDevice freeDevice = open(free);
      PagerDevice device = open(charged);
      long transferNs = time(free, freeDevice, true, 1);
      assertEquals(transferNs + WRITE_NS, time(charged, device, true, 1), WIRE_NS);
      assertEquals(time(free, freeDevice, false, 1) + READ_NS, time(charged, device, false, 1), WIRE_NS);
      long four = time(charged, device, true, 4);
      assertTrue(four >= 4 * WRITE_NS && four < 4 * WRITE_NS + 4 * transferNs, "four writes took " + four);
      // More than there are staging buffers.
      long six = time(charged, device, false, 6);
      assertTrue(six >= 6 * READ_NS && six < 6 * READ_NS + 6 * transferNs, "six reads took " + six);
    }
  }

  @Test
  void shouldTakeStagingBuffersBackWhenAClientLeavesDuringACopy() {
    try (SimulatedPager pager = new SimulatedPager(2, LinkFaults.NONE, 1, server(), ChargedCopyTest::oneProcessor)) {
      PagerDevice device = open(pager);
      List<Integer> ended = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        BlockDevice.Buffer buffer = device.tryAcquire(LENGTH, null);
        device.write((long) i * LENGTH, buffer, false, ended::add);
      }
      pager.fabric.system().runFor(WRITE_NS + WRITE_NS / 2);
      assertEquals(List.of(Errno.OK), ended, "one copied, one being copied, one waiting");
      device.close();
      pager.fabric.system().runFor(SimulatedPager.SECOND);
      MemoryServerSnapshot server = pager.inspect(pager.servers.getFirst());
      assertEquals(List.of(Errno.OK, Errno.ESHUTDOWN, Errno.ESHUTDOWN), ended);
      assertEquals(4, server.stagingFree());
      assertEquals(0, server.rdmaOutstanding());
      assertEquals(8 << 20, server.freeBytes());
    }
  }
}
