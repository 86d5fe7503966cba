package dev.weft.pager.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.typesafe.config.ConfigFactory;
import dev.weft.fabric.link.LinkFaults;
import dev.weft.hca.node.Node;
import dev.weft.hca.node.RoleContext;
import dev.weft.hca.node.VirtualFabric;
import dev.weft.lab.hosts.CpuLoad;
import dev.weft.lab.hosts.HardwareProfile;
import dev.weft.lab.hosts.VirtualHost;
import dev.weft.pager.BlockDevice;
import dev.weft.pager.server.MemoryServer;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Client and memory server in each context, in virtual time, on the hosts of seed 000: the processors charge for what the context is, and the
 * code of both is the same. A program of the client's host reads 4 KiB, and again when that has come.
 */
@Tag("simulation")
class ContextsTest {
  private static final long SECOND_NS = 1_000_000_000L;
  private static final int READS = 200;
  private static final int BYTES = 4096;

  private static final class Reader implements AutoCloseable {
    final VirtualFabric fabric = new VirtualFabric(7, HardwareProfile.load("ib-2003-p3"), LinkFaults.NONE, ConfigFactory.empty());
    final Node server = fabric.addNode("server");
    final Node client = fabric.addNode("client");
    final VirtualHost host = VirtualHost.of(fabric, "client");
    final int process = host.addProcess("reader");
    PagerDevice device;
    int left;

    Reader(RoleContext context) {
      String key = "context = " + context.configName();
      MemoryServer.start(server, MemoryServer.SERVICE, SimulatedPager.serverSettings(key + ", memory = 4 MiB"));
      fabric.system().runFor(SECOND_NS / 100);
      PagerClient.open(client, "d", List.of(new ServerSpec("server", MemoryServer.SERVICE, 1 << 20)), SimulatedPager.clientSettings(key), null,
          new PagerClient.OpenListener() {
            @Override
            public void onOpen(PagerDevice opened) {
              device = opened;
            }

            @Override
            public void onFailed(String reason) {
              throw new AssertionError(reason);
            }
          });
      assertTrue(fabric.system().runUntil(() -> device != null, SECOND_NS));
    }

    private void read() {
      BlockDevice.Buffer buffer = device.tryAcquire(BYTES, null);
      device.read(0, buffer, error -> {
        assertEquals(0, error);
        buffer.release();
        if (--left > 0) {
          host.compute(process, 0, this::read);
        }
      });
    }

    /** Mean time of a read. */
    long meanNs() {
      left = READS;
      long startNs = fabric.system().nowNs();
      host.compute(process, 0, this::read);
      assertTrue(fabric.system().runUntil(() -> left == 0, 60 * SECOND_NS));
      return (fabric.system().nowNs() - startNs) / READS;
    }

    @Override
    public void close() {
      fabric.close();
    }
  }

  private static long meanNs(RoleContext context, int hogs) {
    try (Reader reader = new Reader(context)) {
      CpuLoad load = VirtualHost.of(reader.fabric, "server").load(hogs);
      long meanNs = reader.meanNs();
      load.close();
      return meanNs;
    }
  }

  @Test
  void shouldCostWhatTheContextCosts() {
    long polling = meanNs(RoleContext.POLLING, 0);
    long isr = meanNs(RoleContext.ISR, 0);
    long taskQueue = meanNs(RoleContext.TASK_QUEUE, 0);
    long process = meanNs(RoleContext.PROCESS, 0);
    assertTrue(polling < isr && isr < taskQueue && taskQueue < process, polling + " " + isr + " " + taskQueue + " " + process);
    assertEquals(process, meanNs(RoleContext.BLOCKING, 0));
  }

  @Test
  void shouldWaitForABusyProcessorOnlyWhereAProcessDoesTheWork() {
    for (RoleContext context : List.of(RoleContext.ISR, RoleContext.TASK_QUEUE)) {
      assertEquals(meanNs(context, 0), meanNs(context, 4), 1_000, context.name());
    }
    assertTrue(meanNs(RoleContext.PROCESS, 4) > meanNs(RoleContext.PROCESS, 0), "it sleeps most of the time, so it takes a processor soon");
    assertTrue(meanNs(RoleContext.POLLING, 4) > 2 * meanNs(RoleContext.POLLING, 0), "it has used up what it may");
  }

  @Test
  void shouldRefuseTripwiresWhereTheRoleDoesNotRunOnTheThreadThatWritesMailboxes() {
    for (RoleContext context : RoleContext.values()) {
      String keys = "notification = tripwire, context = " + context.configName();
      if (context == RoleContext.ISR) {
        SimulatedPager.serverSettings(keys);
        SimulatedPager.clientSettings(keys);
      } else {
        assertTrue(assertThrows(IllegalArgumentException.class, () -> SimulatedPager.serverSettings(keys)).getMessage()
            .startsWith("weft.pager.server.context is " + context.configName() + "; with notification = tripwire it must be isr"));
        assertTrue(assertThrows(IllegalArgumentException.class, () -> SimulatedPager.clientSettings(keys)).getMessage()
            .startsWith("weft.pager.client.context is " + context.configName() + "; with notification = tripwire it must be isr"));
      }
    }
  }

  @Test
  void shouldGiveTheSameTimesAgain() {
    assertEquals(meanNs(RoleContext.TASK_QUEUE, 1), meanNs(RoleContext.TASK_QUEUE, 1));
  }
}
