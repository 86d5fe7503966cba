package dev.weft.hca.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.weft.hca.verbs.Pair;
import dev.weft.hca.verbs.WcStatus;
import dev.weft.hca.verbs.WorkCompletion;
import java.lang.foreign.ValueLayout;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("simulation")
class RcTest {
  @Test
  void shouldPlaceAWriteAndCompleteIt() {
    try (Pair pair = Pair.connected()) {
      for (int i = 0; i < 5000; i++) {
        pair.a.memory.set(ValueLayout.JAVA_BYTE, i, (byte) (i * 7));
      }
      pair.a.qp.postSend(pair.a.wr.write(pair.b.mr.addr() + 3, pair.b.mr.rkey()).sge(pair.a.mr, 0, 5000).wrId(9).signaled());
      pair.run();
      List<WorkCompletion> done = pair.a.sent();
      assertEquals(1, done.size());
      assertEquals(WcStatus.SUCCESS, done.getFirst().status());
      assertEquals(9, done.getFirst().wrId());
      assertEquals(-1, pair.a.memory.asSlice(0, 5000).mismatch(pair.b.memory.asSlice(3, 5000)));
    }
  }
}
