package dev.weft.pvfs.manager;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class LeasesTest {
  private final List<String> told = new ArrayList<>();
  private final List<String> over = new ArrayList<>();
  private long next = 1;
  private final Leases leases = new Leases(3, new Leases.Teller() {
    @Override
    public long changed(long session, long inode) {
      told.add(session + " forgets " + inode);
      return next++;
    }

    @Override
    public long allChanged(long session) {
      told.add(session + " forgets all");
      return next++;
    }
  });

  @Test
  void shouldAnswerWhoChangesWhenAllOthersHaveForgotten() {
    leases.grant(1, 10);
    leases.grant(2, 10);
    leases.grant(3, 10);
    assertTrue(leases.revoke(1, List.of(10L), () -> over.add("changed")));
    assertEquals(2, told.size());
    leases.done(2, 1);
    leases.done(2, 2);
    assertEquals(List.of(), over);
    leases.done(3, 2);
    assertEquals(List.of("changed"), over);
    assertFalse(leases.revoke(1, List.of(10L), () -> over.add("again")), "nobody but who changes it remembers it");
  }

  @Test
  void shouldWaitForAnEventThatWasToldBefore() {
    leases.grant(2, 10);
    assertTrue(leases.revoke(1, List.of(10L), () -> over.add("first")));
    assertFalse(leases.grant(2, 10), "what is being taken back is not given");
    assertTrue(leases.revoke(3, List.of(10L), () -> over.add("second")));
    assertEquals(1, told.size());
    leases.done(2, 1);
    assertEquals(List.of("first", "second"), over);
    assertTrue(leases.grant(2, 10));
  }

  @Test
  void shouldNotWaitForWhoIsGone() {
    leases.grant(2, 10);
    assertTrue(leases.revoke(1, List.of(10L), () -> over.add("changed")));
    assertTrue(leases.isAwaited(2));
    leases.end(2);
    assertEquals(List.of("changed"), over);
    assertEquals(0, leases.count());
    assertTrue(leases.isIdle());
  }

  @Test
  void shouldLetWhoIsFullForgetAll() {
    for (long inode = 1; inode <= 3; inode++) {
      assertTrue(leases.grant(1, inode));
    }
    assertFalse(leases.grant(1, 4));
    assertEquals(List.of("1 forgets all"), told);
    assertTrue(leases.revoke(2, List.of(1L), () -> over.add("changed")), "it has not forgotten yet");
    leases.done(1, next - 1);
    assertEquals(List.of("changed"), over);
    assertTrue(leases.grant(1, 4));
    assertEquals(1, leases.count());
  }
}
