package dev.weft.hca.sync;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class McsLedgerTest {
  private final List<String> repairs = new ArrayList<>();
  private final McsLedger ledger = new McsLedger(new McsLedger.Repair() {
    @Override
    public void grant(int client, int ticket) {
      repairs.add("grant " + client + "/" + ticket);
    }

    @Override
    public void follow(int client, int ticket) {
      repairs.add("follow " + client + "/" + ticket);
    }

    @Override
    public void free(long tail) {
      repairs.add("free " + McsLock.client(tail));
    }
  });
  private long tail;

  private void enter(int client, int ticket) {
    ledger.onSwap(tail, McsLock.word(client, ticket), tail);
    tail = McsLock.word(client, ticket);
  }

  @Test
  void shouldDoNothingWhileAllLive() {
    enter(1, 1);
    enter(2, 1);
    ledger.onSwap(0, McsLock.word(3, 1), tail);
    ledger.onReleased(1);
    assertEquals(List.of(2), ledger.clients(), "a failed swap is none");
    ledger.onSwap(tail, 0, tail);
    assertEquals(List.of(), ledger.clients());
    assertEquals(List.of(), repairs);
  }

  @Test
  void shouldGrantWhoComesAfterADeadHolder() {
    enter(1, 1);
    enter(2, 5);
    ledger.onDead(1);
    assertEquals(List.of("grant 2/5"), repairs);
  }

  @Test
  void shouldFreeALockThatNobodyElseWaitsFor() {
    enter(4, 2);
    ledger.onDead(4);
    assertEquals(List.of("free 4"), repairs);
    assertEquals(List.of(), ledger.clients());
  }

  @Test
  void shouldPassOverDeadWaitersWhenTheHolderLeaves() {
    enter(1, 1);
    enter(2, 1);
    enter(3, 1);
    enter(4, 9);
    ledger.onDead(3);
    ledger.onDead(2);
    assertEquals(List.of("follow 2/1", "follow 1/1"), repairs);
    ledger.onReleased(1);
    assertEquals("grant 4/9", repairs.getLast());
    assertEquals(List.of(4), ledger.clients());
  }
}
