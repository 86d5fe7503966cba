package dev.weft.dsm.direct;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.weft.dsm.access.Rights;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A fault of node 1 for minipage 7, whose home is node 0, step by step. */
class SynchronousFaultTest {
  private static final int SELF = 1;
  private static final int HOME = 0;
  private static final int PAGE = 7;
  private static final long GRACE_NS = 10_000;

  private final List<String> asked = new ArrayList<>();
  private final RemoteVerbs verbs = new RemoteVerbs() {
    @Override
    public void lock(int home, int minipage, long lock) {
      asked.add("lock " + minipage + " at " + home + " for " + DirectoryEntry.holder(lock));
    }

    @Override
    public void unlock(int home, int minipage, long owner, long copies) {
      asked.add("unlock: " + (owner == DirectoryEntry.LOST ? "lost" : "node " + DirectoryEntry.node(owner) + (DirectoryEntry.mayWrite(owner) ? " writes" : ""))
          + ", copies " + Long.toBinaryString(copies));
    }

    @Override
    public void revoke(int node, int minipage, long expected, byte rights) {
      asked.add("revoke at " + node + ": " + Long.toHexString(expected) + " to " + rights);
    }

    @Override
    public void look(int node, int minipage, byte rights) {
      asked.add("look at " + node);
    }

    @Override
    public void fetch(int node, int minipage) {
      asked.add("fetch from " + node);
    }
  };
  private final SynchronousFault.Listener listener = new SynchronousFault.Listener() {
    @Override
    public void onGranted(SynchronousFault fault) {
      asked.add("granted");
    }

    @Override
    public void onContentLost(SynchronousFault fault) {
      asked.add("content lost");
    }

    @Override
    public int homeOf(int minipage) {
      return HOME;
    }

    @Override
    public void onOver(SynchronousFault fault) {
      asked.add("over");
    }
  };

  private SynchronousFault begin(byte rights) {
    SynchronousFault fault = new SynchronousFault(SELF, PAGE, HOME, rights, GRACE_NS, verbs, listener);
    fault.start();
    shouldAsk("lock 7 at 0 for 1");
    return fault;
  }

  private void shouldAsk(String... expected) {
    assertEquals(List.of(expected), asked);
    asked.clear();
  }

  private static long word(int rights) {
    return DirectoryEntry.word((byte) rights, false);
  }

  @Test
  void shouldTakeTheRightToWriteThenFetchThenUnlock() {
    SynchronousFault fault = begin(Rights.READ);
    fault.onLocked(DirectoryEntry.FREE, DirectoryEntry.owner(2, true), 0b100, 0, 0);
    shouldAsk("revoke at 2: 2 to 1");
    fault.onRevoked(2, word(2), word(2), false, 0);
    shouldAsk("fetch from 2");
    fault.onFetched();
    shouldAsk("granted", "unlock: node 2, copies 110");
    fault.onUnlocked();
    shouldAsk("over");
  }

  @Test
  void shouldFetchAtOnceWhereNobodyMayWrite() {
    SynchronousFault fault = begin(Rights.READ);
    fault.onLocked(DirectoryEntry.FREE, DirectoryEntry.owner(2, false), 0b101, 0, 0);
    shouldAsk("fetch from 2");
  }

  @Test
  void shouldTakeAllCopiesAndFetchNothingWhereItHasOne() {
    SynchronousFault fault = begin(Rights.WRITE);
    fault.onLocked(DirectoryEntry.FREE, DirectoryEntry.owner(2, false), 0b1111, 0, 0);
    shouldAsk("revoke at 0: 1 to 0", "revoke at 2: 1 to 0", "revoke at 3: 1 to 0");
    fault.onRevoked(3, word(1), word(1), false, 0);
    fault.onRevoked(0, word(1), word(1), false, 0);
    shouldAsk();
    fault.onRevoked(2, word(1), word(0), false, 0); // It had less than the entry says: who took it died.
    shouldAsk("granted", "unlock: node 1 writes, copies 10");
  }

  @Test
  void shouldTryAgainLaterWhereTheEntryIsLocked() {
    SynchronousFault fault = begin(Rights.READ);
    fault.onLocked(DirectoryEntry.lock(3, Rights.READ), 0, 0, 0, 500);
    assertEquals(1500, fault.dueNs());
    fault.retry(1499);
    shouldAsk();
    fault.retry(1500);
    shouldAsk("lock 7 at 0 for 1");
  }

  @Test
  void shouldLookAgainUntilNobodyIsInside() {
    SynchronousFault fault = begin(Rights.WRITE);
    fault.onLocked(DirectoryEntry.FREE, DirectoryEntry.owner(2, true), 0b100, 0, 0);
    shouldAsk("revoke at 2: 2 to 0");
    fault.onRevoked(2, word(2), word(2), true, 0);
    fault.retry(fault.dueNs());
    shouldAsk("look at 2");
    fault.onRevoked(2, word(0), word(0), true, 5_000);
    fault.retry(fault.dueNs());
    shouldAsk("look at 2");
    fault.onRevoked(2, word(0), word(0), false, 20_000);
    shouldAsk("fetch from 2");
  }

  @Test
  void shouldLeaveARightThatWasServedUntilTheGraceIsOver() {
    SynchronousFault fault = begin(Rights.WRITE);
    fault.onLocked(DirectoryEntry.FREE, DirectoryEntry.owner(2, true), 0b100, 0, 0);
    shouldAsk("revoke at 2: 2 to 0");
    long served = DirectoryEntry.word(Rights.WRITE, true);
    fault.onRevoked(2, word(2), served, false, 0);
    fault.retry(fault.dueNs());
    shouldAsk("revoke at 2: 2 to 0");
    fault.onRevoked(2, word(2), served, false, GRACE_NS);
    fault.retry(fault.dueNs());
    shouldAsk("revoke at 2: 102 to 0");
  }

  @Test
  void shouldSayThatItIsLostWhereTheOnlyWriterIs() {
    SynchronousFault fault = begin(Rights.READ);
    fault.onLocked(DirectoryEntry.FREE, DirectoryEntry.owner(2, true), 0b100, 0b100, 0);
    shouldAsk("content lost", "unlock: lost, copies 0");
  }

  @Test
  void shouldFetchFromAnotherWhereTheSourceIsLostMeanwhile() {
    SynchronousFault fault = begin(Rights.READ);
    fault.onLocked(DirectoryEntry.FREE, DirectoryEntry.owner(2, false), 0b1100, 0, 0);
    shouldAsk("fetch from 2");
    fault.onNodeLost(2, 0b100);
    shouldAsk("fetch from 3");
  }

  @Test
  void shouldUnlockAsItWasWhenNobodyWantsItAnyMore() {
    SynchronousFault fault = begin(Rights.READ);
    fault.abandon();
    fault.onLocked(DirectoryEntry.FREE, DirectoryEntry.owner(2, true), 0b100, 0, 0);
    shouldAsk("unlock: node 2 writes, copies 100");
  }

  @Test
  void shouldEndWhenItsHomeIsLost() {
    SynchronousFault fault = begin(Rights.READ);
    fault.onNodeLost(HOME, 1);
    shouldAsk("over");
  }

  /** What it reads may still come, and what it takes may still be taken. */
  @Test
  void shouldWaitForItsVerbsWhenTheHomeIsLostThatItHasLocked() {
    SynchronousFault fault = begin(Rights.WRITE);
    fault.onLocked(DirectoryEntry.FREE, DirectoryEntry.owner(2, false), 0b1100, 0, 0);
    shouldAsk("revoke at 2: 1 to 0", "revoke at 3: 1 to 0");
    fault.onNodeLost(HOME, 1);
    fault.onRevoked(2, word(1), word(1), false, 0);
    shouldAsk();
    fault.onRevoked(3, word(1), word(1), false, 0);
    shouldAsk("over");
  }

  @Test
  void shouldNotLockAnEntryThatIsClosed() {
    SynchronousFault fault = begin(Rights.READ);
    fault.onLocked(DirectoryEntry.CLOSED, 0, 0, 0, 0);
    fault.retry(fault.dueNs());
    shouldAsk("lock 7 at 0 for 1");
  }
}
