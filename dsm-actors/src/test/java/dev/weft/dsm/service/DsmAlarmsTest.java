package dev.weft.dsm.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.dsm.DsmLock;
import dev.weft.dsm.SharedLongs;
import dev.weft.dsm.SharingUnit;
import dev.weft.dsm.node.DsmNode;
import dev.weft.dsm.report.DsmReport;
import dev.weft.dsm.report.DsmSnapshot;
import dev.weft.hca.node.LocalFabric;
import dev.weft.service.Alarm;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Tag("actor")
@Timeout(180)
class DsmAlarmsTest {
  private static List<String> kinds(DsmNode node) {
    return DsmAlarms.of(node.report(8), 2000).stream().map(Alarm::kind).sorted().toList();
  }

  @Test
  void shouldShowLocksAndBarriersWithWhoWaitsAndWhoIsMissing() throws InterruptedException {
    try (LocalFabric fabric = LocalFabric.start();
        DsmNode zero = DsmNode.join(fabric, fabric.addNode("host-0"), "seen", "host-0");
        DsmNode one = DsmNode.join(fabric, fabric.addNode("host-1"), "seen", "host-0")) {
      DsmLock lock = zero.lock("lock");
      lock.acquire();
      Thread waiter = Thread.ofPlatform().start(() -> {
        DsmLock same = one.lock("lock");
        same.acquire();
        same.release();
      });
      while (one.report(8).locks().stream().noneMatch(seen -> seen.waitingHere() == 1 && seen.waitMs() > 0)) {
        Thread.onSpinWait();
      }
      DsmNode lockHome = one.report(8).locks().getFirst().home() == 0 ? zero : one;
      while (lockHome.report(8).locks().getFirst().waitingNodes().isEmpty()) {
        Thread.onSpinWait();
      }
      DsmReport.Lock atHome = lockHome.report(8).locks().getFirst();
      assertEquals("lock", atHome.name());
      assertEquals(0, atHome.holder());
      assertEquals(List.of(1), atHome.waitingNodes());
      assertTrue(zero.report(8).locks().getFirst().isHeldHere());
      lock.release();
      waiter.join();

      meet(zero, one);
      CountDownLatch comes = new CountDownLatch(1);
      Thread first = Thread.ofPlatform().start(() -> {
        comes.countDown();
        zero.barrier("meeting", 2).await();
      });
      comes.await();
      DsmNode barrierHome = zero.report(8).barriers().stream().anyMatch(DsmReport.Barrier::isHome) ? zero : one;
      while (barrierHome.report(8).barriers().getFirst().here() == 0) {
        Thread.onSpinWait();
      }
      DsmReport.Barrier barrier = barrierHome.report(8).barriers().getFirst();
      assertEquals(1, barrier.rounds());
      assertEquals(1, barrier.here());
      assertEquals(List.of(new DsmReport.Missing(1, 1)), barrier.missing());
      one.barrier("meeting", 2).await();
      first.join();
      assertEquals(List.of(), kinds(zero));
    }
  }

  private static void meet(DsmNode zero, DsmNode one) throws InterruptedException {
    Thread other = Thread.ofPlatform().start(() -> one.barrier("meeting", 2).await());
    zero.barrier("meeting", 2).await();
    other.join();
  }

  @Test
  void shouldAlarmOfWhatANodeTookWithIt() {
    try (LocalFabric fabric = LocalFabric.start();
        DsmNode zero = DsmNode.join(fabric, fabric.addNode("host-0"), "lossy", "host-0")) {
      DsmNode one = DsmNode.join(fabric, fabric.addNode("host-1"), "lossy", "host-0");
      SharedLongs words = zero.longs("words", 2, SharingUnit.bytes(8)); // The home of the first is node 0, of the other node 1.
      one.longs("words", 2, SharingUnit.bytes(8)).set(0, 7);
      assertEquals(0, words.get(1));
      DsmLock lock = one.lock("lock-a");
      DsmLock other = one.lock("lock-b"); // One of the two has its home at node 0, and the other one gets it there.
      lock.acquire();
      other.acquire();
      fabric.closeNode("host-1");
      while (kinds(zero).size() < 3) {
        Thread.onSpinWait();
      }
      assertEquals(List.of("LOCK_HOLDER_LOST", "LOCK_HOLDER_LOST", "MINIPAGES_LOST"), kinds(zero));
      assertEquals(List.of(1), zero.report(8).lostNodes());
    }
  }

  @Test
  void shouldAlarmOfAFaultThatWaitsTooLong() {
    DsmSnapshot node = new DsmSnapshot("space", 1, List.of(0, 1), List.of(), 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, null,
        "not used");
    List<DsmReport.FaultUnderWay> faults = List.of(new DsmReport.FaultUnderWay("elements 0 to 7 of \"grid\"", "write", 2, 0, 2001),
        new DsmReport.FaultUnderWay("elements 8 to 15 of \"grid\"", "read", 1, 0, 2000));
    DsmReport report = new DsmReport(node, "dsm-1", "dsm-0", List.of(), null, List.of(), null, faults, List.of(), List.of(), List.of());
    List<Alarm> alarms = DsmAlarms.of(report, 2000);
    assertEquals(1, alarms.size(), alarms.toString());
    assertEquals("FAULT_WAITS", alarms.getFirst().kind());
    assertEquals("shared memory \"space\": 2 threads of node 1 (dsm-1) wait 2001 ms to write elements 0 to 7 of \"grid\", whose home is node 0;"
        + " check the JVM of that node",
        alarms.getFirst().text());
  }
}
