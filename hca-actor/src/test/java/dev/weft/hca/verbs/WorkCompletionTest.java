package dev.weft.hca.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A completion before and after it was polled. */
@Tag("simulation")
class WorkCompletionTest {
  @Test
  void shouldBeNoSuccessBeforeAnythingWasPolledIntoIt() {
    try (Pair pair = Pair.connected()) {
      WorkCompletion wc = new WorkCompletion();
      assertFalse(pair.a.hca.createCq(4).poll(wc));
      assertTrue(wc.isEmpty());
      assertFalse(wc.isSuccess());
      assertNull(wc.status());
      assertNull(wc.opcode());
      assertEquals("WorkCompletion[empty]", wc.toString());
    }
  }

  @Test
  void shouldBeWhatWasPolledAfterwards() {
    try (Pair pair = Pair.connected()) {
      pair.a.send(pair.a.wr.write(pair.b.mr.addr(), pair.b.mr.rkey()).sge(pair.a.mr, 0, 8).wrId(3).signaled());
      WorkCompletion wc = new WorkCompletion();
      assertTrue(pair.fabric.system().runUntil(() -> pair.a.sendCq.poll(wc), Pair.SECOND));
      assertFalse(wc.isEmpty());
      assertTrue(wc.isSuccess());
      assertEquals(WcStatus.SUCCESS, wc.status());
      assertEquals(WcOpcode.RDMA_WRITE, wc.opcode());
    }
  }
}
