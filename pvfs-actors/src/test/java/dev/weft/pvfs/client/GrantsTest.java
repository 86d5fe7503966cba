package dev.weft.pvfs.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.pvfs.wire.CapabilityKey;
import dev.weft.pvfs.wire.DaemonOp;
import dev.weft.pvfs.wire.Grant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class GrantsTest {
  private static final long FILE = 7;

  private final List<Runnable> asked = new ArrayList<>();
  private long nowNs;
  private int told;
  private final Grants grants = new Grants(() -> nowNs);

  GrantsTest() {
    grants.renewBy((_, then) -> asked.add(then));
    grants.put(FILE, grant(1));
  }

  private static Grant grant(int mark) {
    byte[] capability = new byte[CapabilityKey.ENCODED_BYTES];
    capability[0] = (byte) mark;
    return new Grant(capability, 1000);
  }

  private byte mark() {
    return grants.of(FILE, DaemonOp.READ)[0];
  }

  @Test
  void shouldAskOnceForAllWhoAreRefusedMeanwhile() {
    for (int i = 0; i < 100; i++) {
      assertTrue(grants.renew(FILE, () -> told++));
    }
    assertEquals(1, asked.size());
    grants.put(FILE, grant(2));
    asked.getFirst().run();
    assertEquals(100, told);
    assertEquals(2, mark());
    grants.renew(FILE, () -> told++);
    assertEquals(2, asked.size());
    asked.getLast().run();
    assertEquals(101, told);
  }

  @Test
  void shouldAskAgainInTheSecondHalfOfALifeAlsoWhereTheManagerHasNotAnswered() {
    nowNs = 499;
    mark();
    assertEquals(0, asked.size());
    nowNs = 500;
    mark();
    mark();
    assertEquals(1, asked.size());
    asked.getFirst().run(); // No answer came.
    mark();
    assertEquals(1, asked.size(), "not by each request");
    nowNs += 1_000_000_000L;
    mark();
    assertEquals(2, asked.size());
    grants.put(FILE, grant(3));
    asked.getLast().run();
    assertEquals(3, mark());
    assertEquals(2, asked.size());
  }

  @Test
  void shouldTellWhoWaitsThoughTheFileIsClosedMeanwhile() {
    grants.renew(FILE, () -> told++);
    grants.remove(FILE);
    asked.getFirst().run();
    assertEquals(1, told);
    assertNull(grants.of(FILE, DaemonOp.READ));
    grants.renew(FILE, () -> told++);
    asked.getLast().run();
    assertEquals(2, told);
  }
}
