package dev.weft.dsm.node;

import static dev.weft.dsm.node.ActorSpace.shouldBeServed;
import static dev.weft.dsm.node.ActorSpace.shouldWait;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.dsm.NodeLostException;
import dev.weft.dsm.access.Rights;
import dev.weft.dsm.objects.NodeCommand;
import dev.weft.dsm.objects.Wait;
import dev.weft.dsm.wire.DsmMessage;
import dev.weft.dsm.wire.DsmMessage.BarrierArrive;
import dev.weft.dsm.wire.DsmMessage.BarrierBroken;
import dev.weft.dsm.wire.DsmMessage.BarrierRelease;
import dev.weft.dsm.wire.DsmMessage.ConditionCancel;
import dev.weft.dsm.wire.DsmMessage.ConditionSignal;
import dev.weft.dsm.wire.DsmMessage.ConditionWait;
import dev.weft.dsm.wire.DsmMessage.ConditionWaiting;
import dev.weft.dsm.wire.DsmMessage.ConditionWake;
import dev.weft.dsm.wire.DsmMessage.Data;
import dev.weft.dsm.wire.DsmMessage.Leaving;
import dev.weft.dsm.wire.DsmMessage.LockGrant;
import dev.weft.dsm.wire.DsmMessage.LockRecall;
import dev.weft.dsm.wire.DsmMessage.LockRequest;
import dev.weft.dsm.wire.DsmMessage.LockReturn;
import dev.weft.dsm.wire.DsmMessage.NodeGone;
import dev.weft.dsm.wire.ObjectSpec;
import dev.weft.dsm.wire.ObjectSpec.Kind;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Locks, barriers and conditions message by message: scripted nodes have them, wait for them, or are their homes. And what no node may say. */
@Tag("simulation")
class DsmSyncProtocolTest {
  private static final int THEIRS = 2;
  private static final int OURS = 3;

  private final ActorSpace space = new ActorSpace();
  private final ScriptedMember one = space.one;
  private final ScriptedMember two = space.two;

  @AfterEach
  void allIsSaid() {
    space.nothingIsSaid();
    space.close();
  }

  /** Of the first, node 2 is the home; of the second, the actor. */
  private void defineTwo(Kind kind, long length) {
    for (int id : List.of(THEIRS, OURS)) {
      space.define(kind, "object " + id, length, new ObjectSpec(id, kind, "object " + id, length, 0, 0, 3, 0b111));
    }
  }

  private static Wait.OfLock release(int lock) {
    return new Wait.OfLock(lock, true);
  }

  // Locks.

  @Test
  void shouldTakeALockBackOnlyFromTheNodeThatHasIt() {
    defineTwo(Kind.LOCK, 0);
    one.says(new LockRequest(OURS));
    one.hears(new LockGrant(OURS, false, false));
    two.says(new LockRequest(OURS));
    one.hears(new LockRecall(OURS));
    two.says(new LockReturn(OURS, false, false));
    space.nothingIsSaid();
    one.says(new LockReturn(OURS, false, false));
    two.hears(new LockGrant(OURS, false, false));
    one.says(new LockReturn(OURS, true, true)); // Once more: it has nothing to give.
    one.says(new LockRequest(OURS));
    two.hears(new LockRecall(OURS));
    one.hears(new String[0]);
    two.says(new LockReturn(OURS, false, false));
    one.hears(new LockGrant(OURS, false, false));
  }

  @Test
  void shouldServeAWaiterOnceHoweverOftenItAsks() {
    defineTwo(Kind.LOCK, 0);
    one.says(new LockRequest(OURS));
    one.hears(new LockGrant(OURS, false, false));
    for (int i = 0; i < 10; i++) {
      two.says(new LockRequest(OURS));
    }
    one.hears(new LockRecall(OURS));
    one.says(new LockReturn(OURS, false, false));
    two.hears(new LockGrant(OURS, false, false));
    two.says(new LockReturn(OURS, false, false));
    two.hears(new String[0]);
    shouldBeServed(space.wants(new Wait.OfLock(OURS, false)));
  }

  @Test
  void shouldGiveTheLockOfALostHolderToItsThreadAndSaySo() {
    defineTwo(Kind.LOCK, 0);
    one.says(new LockRequest(OURS));
    one.hears(new LockGrant(OURS, false, false));
    Wait.OfLock waits = space.wants(new Wait.OfLock(OURS, false));
    one.hears(new LockRecall(OURS));
    shouldWait(waits);
    one.says(new LockReturn(OURS, false, false));
    one.says(new LockRequest(OURS));
    one.hears(new String[0]);
    shouldBeServed(waits);
    assertFalse(space.holderWasLost(OURS));
    shouldBeServed(space.wants(release(OURS)));
    one.hears(new LockGrant(OURS, false, false));
    Wait.OfLock again = space.wants(new Wait.OfLock(OURS, false));
    one.says(new Leaving());
    one.hears(new LockRecall(OURS).toString(), "disconnected");
    two.hears(new NodeGone(1));
    shouldBeServed(again);
    assertTrue(space.holderWasLost(OURS));
  }

  @Test
  void shouldGiveALockBackWhenItIsRecalledAndFree() {
    defineTwo(Kind.LOCK, 0);
    two.says(new LockRecall(THEIRS)); // It was given back just then.
    two.hears(new String[0]);
    Wait.OfLock waits = space.wants(new Wait.OfLock(THEIRS, false));
    two.hears(new LockRequest(THEIRS));
    shouldWait(waits);
    two.says(new LockGrant(THEIRS, false, true));
    two.hears(new String[0]);
    shouldBeServed(waits);
    assertTrue(space.holderWasLost(THEIRS));
    two.says(new LockRecall(THEIRS));
    two.says(new LockRecall(THEIRS));
    two.hears(new String[0]);
    shouldBeServed(space.wants(release(THEIRS)));
    two.hears(new LockReturn(THEIRS, false, false));
    two.says(new LockRecall(THEIRS));
    two.hears(new String[0]);
  }

  /** A thread has given up before the grant came: the lock must not stay with nobody. */
  @Test
  void shouldKeepALockFreeThatComesWhenNobodyWaitsForItAnyMore() {
    defineTwo(Kind.LOCK, 0);
    Wait.OfLock waits = space.wants(new Wait.OfLock(THEIRS, false));
    two.hears(new LockRequest(THEIRS));
    space.tell(new NodeCommand.Cancel(waits));
    assertTrue(waits.isCancelled);
    two.says(new LockGrant(THEIRS, false, false));
    two.hears(new String[0]);
    two.says(new LockRecall(THEIRS));
    two.hears(new LockReturn(THEIRS, false, false));
  }

  // Barriers.

  @Test
  void shouldReleaseThreadsByTheNodesTheyCameFrom() {
    defineTwo(Kind.BARRIER, 4);
    one.says(new BarrierArrive(OURS));
    two.says(new BarrierArrive(OURS));
    one.says(new BarrierArrive(OURS));
    space.nothingIsSaid();
    Wait.OfBarrier here = space.wants(new Wait.OfBarrier(OURS));
    shouldBeServed(here);
    one.hears(new BarrierRelease(OURS, 2));
    two.hears(new BarrierRelease(OURS, 1));
    shouldWait(space.wants(new Wait.OfBarrier(OURS)));
  }

  @Test
  void shouldBreakABarrierForThoseThatWaitAndThoseThatComeLater() {
    defineTwo(Kind.BARRIER, 4);
    Wait.OfBarrier here = space.wants(new Wait.OfBarrier(OURS));
    two.says(new BarrierArrive(OURS));
    one.says(new Leaving());
    one.hears("disconnected");
    two.hears(new NodeGone(1), new BarrierBroken(OURS));
    assertThrows(NodeLostException.class, here::check);
    two.says(new BarrierArrive(OURS));
    two.hears(new BarrierBroken(OURS));
    Wait.OfBarrier late = space.wants(new Wait.OfBarrier(OURS));
    assertThrows(NodeLostException.class, late::check);
  }

  @Test
  void shouldWakeNoMoreThreadsThanTheHomeSays() {
    defineTwo(Kind.BARRIER, 4);
    two.says(new BarrierRelease(THEIRS, 3)); // Nobody waits.
    two.hears(new String[0]);
    Wait.OfBarrier first = space.wants(new Wait.OfBarrier(THEIRS));
    Wait.OfBarrier second = space.wants(new Wait.OfBarrier(THEIRS));
    two.hears(new BarrierArrive(THEIRS), new BarrierArrive(THEIRS));
    two.says(new BarrierRelease(THEIRS, 0));
    two.hears(new String[0]);
    shouldWait(first);
    two.says(new BarrierRelease(THEIRS, 1));
    two.hears(new String[0]);
    shouldBeServed(first);
    shouldWait(second);
    two.says(new BarrierRelease(THEIRS, Integer.MAX_VALUE));
    two.hears(new String[0]);
    shouldBeServed(second);
  }

  // Conditions.

  @Test
  void shouldPassASignalOnThatWokeAThreadThatHadGivenUp() {
    space.define(Kind.LOCK, "lock", 0, new ObjectSpec(2, Kind.LOCK, "lock", 0, 0, 0, 3, 0b111));
    space.define(Kind.LOCK, "other", 0, new ObjectSpec(3, Kind.LOCK, "other", 0, 0, 0, 3, 0b111));
    space.define(Kind.LOCK, "third", 0, new ObjectSpec(4, Kind.LOCK, "third", 0, 0, 0, 3, 0b111));
    space.define(Kind.CONDITION, "condition", 0, new ObjectSpec(5, Kind.CONDITION, "condition", 0, 0, 0, 3, 0b111));
    Wait.OfCondition waits = space.wants(new Wait.OfCondition(5));
    two.hears(new ConditionWait(5, 1));
    two.says(new ConditionWaiting(5, 1));
    two.says(new ConditionWaiting(5, 77)); // Of nobody.
    space.tell(new NodeCommand.Cancel(waits));
    two.hears(new ConditionCancel(5, 1));
    two.says(new ConditionWake(5, 1)); // The two cross.
    two.hears(new ConditionSignal(5, false));
    assertTrue(waits.isCancelled);
  }

  // What no node may say.

  static Stream<DsmMessage> nonsense() {
    return Stream.of(new DsmMessage.Fetch(1, 1, 63), new DsmMessage.Fetch(1, 1, -1), new DsmMessage.Holds(-5, 1, Rights.READ),
        new DsmMessage.Holds(0, 0, Rights.READ),
        new DsmMessage.Holds(1, 1, (byte) 7), new DsmMessage.NodeGone(0), new DsmMessage.NodeGone(1), new DsmMessage.NodeGone(64), new DsmMessage.NodeGone(-1),
        new DsmMessage.HoldsEnd(77), new DsmMessage.ReadRequest(-1), new DsmMessage.WriteRequest(Integer.MAX_VALUE), new DsmMessage.Confirm(-1, 1),
        new DsmMessage.Invalidated(1 << 20, 1), new DsmMessage.Invalidate(-1, 1), new DsmMessage.ForwardRead(1 << 20, 1, 2),
        new DsmMessage.ForwardWrite(-1, 1, 2), new Data(1 << 20, 1, true), new DsmMessage.Grant(-1, 1, true), new DsmMessage.Lost(-1),
        new DsmMessage.Push(1 << 20), new DsmMessage.Ask(-1, 1, 63), new LockRequest(1), new LockReturn(-1, true, true), new LockGrant(1, false, false),
        new LockRecall(99), new BarrierArrive(1), new BarrierRelease(1, 5), new BarrierBroken(0), new ConditionWait(1, 0), new ConditionSignal(7, true),
        new ConditionWake(99, 5), new DsmMessage.DefinedAck(55), new DsmMessage.Free(1, 77), new DsmMessage.Freed(1, 0b111), new DsmMessage.MembersEnd(0),
        new DsmMessage.Defined(new ObjectSpec(1, Kind.LONGS, "words", 3, 8, 0, 0, 0b111)), new DsmMessage.NothingMore(1));
  }

  /** It is dropped, or who says it is; the others lose nothing. */
  @ParameterizedTest
  @MethodSource
  void nonsense(DsmMessage said) {
    space.writesHere(0, 42);
    one.says(said);
    shouldServeTheOthers();
  }

  static Stream<byte[]> garbage() {
    return Stream.of(new byte[] {}, new byte[] {0}, new byte[] {99, 0, 0, 0, 0}, new byte[] {1, 0, 0, 0}, new byte[] {6, 0, 0, 0, 0, 1, 0, 0, 0, 9},
        new byte[] {-1, -1, -1, -1, -1}, new byte[] {46, 5, 0, 0, 0, (byte) 200, 1}, new byte[256]);
  }

  @ParameterizedTest
  @MethodSource
  void garbage(byte[] said) {
    space.writesHere(0, 42);
    one.says(said);
    shouldServeTheOthers();
    assertEquals(List.of(0, 2), space.inspected().members(), "who sends garbage is not a member any more");
  }

  private void shouldServeTheOthers() {
    space.run();
    one.heard();
    two.heard();
    two.says(new DsmMessage.ReadRequest(0));
    two.hears(new Data(0, 1, false));
    assertEquals(42, two.word(0));
    two.says(new DsmMessage.Confirm(0, 1));
    two.hears(new String[0]);
    assertEquals(Rights.READ, space.rights(0));
    assertEquals(42, space.word(0));
    assertEquals(0, space.inspected().lostMinipages());
  }
}
