package dev.weft.dsm.sharing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.dsm.SharedLongs;
import dev.weft.dsm.SharingUnit;
import dev.weft.dsm.node.DsmNode;
import dev.weft.dsm.report.DsmReport;
import dev.weft.hca.node.LocalFabric;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Two nodes of one JVM. */
@Tag("actor")
@Timeout(180)
class FalseSharingTest {
  private static final int PAGE_WORDS = 512;
  private static final int ROUNDS = 200;

  /** AllocationSite leaves this package out, as one that makes arrays; so who makes them is elsewhere. */
  private static SharedLongs page(DsmNode node) {
    return dev.weft.dsm.sites.Somewhere.page(node, "together", PAGE_WORDS, SharingUnit.pages(1));
  }

  private static Thread writes(DsmNode node, long firstWord, int words, Semaphore mine, Semaphore other) {
    return Thread.ofPlatform().start(() -> {
      SharedLongs page = page(node);
      for (int i = 0; i < ROUNDS; i++) {
        mine.acquireUninterruptibly(); // Each in its turn, so that the minipage goes back and forth.
        page.set(firstWord + i % words, i);
        other.release();
      }
    });
  }

  @Test
  void shouldNameWhoSharesFalselyWithItsSiteAndAUnit() throws InterruptedException {
    try (LocalFabric fabric = LocalFabric.start();
        DsmNode zero = DsmNode.join(fabric, fabric.addNode("host-0"), "sharing", "host-0");
        DsmNode one = DsmNode.join(fabric, fabric.addNode("host-1"), "sharing", "host-0")) {
      page(zero);
      Semaphore turnOfZero = new Semaphore(1);
      Semaphore turnOfOne = new Semaphore(0);
      Thread first = writes(zero, 0, 32, turnOfZero, turnOfOne);
      Thread second = writes(one, 32, 32, turnOfOne, turnOfZero);
      first.join();
      second.join();
      DsmReport report = zero.report(8);
      SharingReport.OfMinipage worst = report.sharing().worst().getFirst();
      assertEquals("false", worst.sharing(), worst.toString());
      assertEquals(256, worst.unit(), worst.toString());
      assertTrue(worst.pingPongs() > ROUNDS / 2, worst.toString());
      assertTrue(worst.bytesMoved() >= 4096L * worst.pingPongs() / 2, worst.toString());
      SharingReport.OfArray array = report.sharing().arrays().getFirst();
      assertTrue(array.site().matches("dev\\.weft\\.dsm\\.sites\\.Somewhere\\.page\\(Somewhere\\.java:\\d+\\)"), array.site());
      assertEquals(1, array.falselyShared());
      assertEquals(report.node().number(), 0);
      assertEquals(1, report.minipages().writable());
      assertEquals(array.site(), one.report(8).sharing().arrays().getFirst().site(), "it travels with the definition");
    }
  }
}
