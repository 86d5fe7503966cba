package dev.weft.dsm.node;

import static dev.weft.dsm.node.ActorSpace.shouldBeServed;
import static dev.weft.dsm.node.ActorSpace.shouldWait;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.dsm.access.Rights;
import dev.weft.dsm.objects.Fault;
import dev.weft.dsm.objects.Wait;
import dev.weft.dsm.wire.DsmMessage.Ask;
import dev.weft.dsm.wire.DsmMessage.BarrierArrive;
import dev.weft.dsm.wire.DsmMessage.BarrierRelease;
import dev.weft.dsm.wire.DsmMessage.Evacuate;
import dev.weft.dsm.wire.DsmMessage.HoldsEnd;
import dev.weft.dsm.wire.DsmMessage.Invalidated;
import dev.weft.dsm.wire.DsmMessage.Left;
import dev.weft.dsm.wire.DsmMessage.LockGrant;
import dev.weft.dsm.wire.DsmMessage.LockRequest;
import dev.weft.dsm.wire.DsmMessage.LockReturn;
import dev.weft.dsm.wire.DsmMessage.ReadRequest;
import dev.weft.dsm.wire.DsmMessage.Retires;
import dev.weft.dsm.wire.DsmMessage.Safe;
import dev.weft.dsm.wire.ObjectSpec;
import dev.weft.dsm.wire.ObjectSpec.Kind;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A node leaves, message by message: the actor, or a scripted one. */
@Tag("simulation")
class LeavingProtocolTest {
  /** Its home is node 2. */
  private static final int LOCK = 2;
  /** Of two parties; its home is the actor. */
  private static final int BARRIER = 3;

  private final ActorSpace space = new ActorSpace();
  private final ScriptedMember one = space.one;
  private final ScriptedMember two = space.two;

  @AfterEach
  void end() {
    space.close();
  }

  private void define(int id, Kind kind, long length) {
    space.define(kind, "object " + id, length, new ObjectSpec(id, kind, "object " + id, length, 0, 0, 3, 0b111));
  }

  /** The actor retires, and all have said what they have. */
  private Wait.OfLeave retires() {
    Wait.OfLeave leaves = space.wants(Wait.OfLeave.inOrder());
    one.hears(new Retires(0));
    two.hears(new Retires(0));
    return leaves;
  }

  private void areGathered() {
    for (ScriptedMember each : new ScriptedMember[] {one, two}) {
      each.says(new Retires(0));
      each.says(new HoldsEnd(0));
    }
    space.run();
    one.heard();
    two.heard();
  }

  @Test
  void shouldLetASecondThreadWaitForTheLeaveThatIsUnderWay() {
    Wait.OfLeave first = retires();
    Wait.OfLeave second = space.wants(Wait.OfLeave.inOrder());
    shouldWait(first);
    shouldWait(second);
    space.nothingIsSaid();
    one.says(new Retires(0));
    two.says(new Retires(0));
    one.says(new HoldsEnd(0));
    two.says(new HoldsEnd(0));
    assertTrue(one.heard().contains(new Evacuate(0, 1, 1).toString()));
    two.heard();
    one.says(new Safe(0, 1));
    one.hears(new Left().toString());
    two.hears(new Left().toString());
  }

  /** A thread took the lock without a word when the node had retired already. */
  @Test
  void shouldGiveALockBackThatAThreadReleasesWhileTheNodeLeaves() {
    define(LOCK, Kind.LOCK, 0);
    Wait.OfLock lock = space.wants(new Wait.OfLock(LOCK, false));
    two.hears(new LockRequest(LOCK));
    two.says(new LockGrant(LOCK, false, false));
    space.run();
    shouldBeServed(lock);
    assertTrue(space.givesBack(LOCK));
    Wait.OfLeave leaves = retires();
    assertTrue(space.takes(LOCK));
    areGathered();
    one.says(new Safe(0, 1));
    space.nothingIsSaid();
    shouldWait(leaves);
    space.wants(new Wait.OfLock(LOCK, true));
    two.hears(new LockReturn(LOCK, false, false).toString(), new Left().toString());
  }

  @Test
  void shouldNotCountThreadsOfANodeThatLeavesAtABarrier() {
    define(LOCK, Kind.LOCK, 0);
    define(BARRIER, Kind.BARRIER, 2);
    two.says(new BarrierArrive(BARRIER));
    two.says(new Retires(2));
    one.hears(new Retires(2));
    two.hears(new Retires(2));
    one.says(new BarrierArrive(BARRIER));
    space.nothingIsSaid();
    Wait.OfBarrier ours = space.wants(new Wait.OfBarrier(BARRIER));
    one.hears(new BarrierRelease(BARRIER, 1));
    shouldBeServed(ours);
  }

  /** The home has heard that it left, and this node has not yet: that is no loss. */
  @Test
  void shouldWaitForTheLastWordOfANodeThatLeavesWhenAskedForWhatItHasSent() {
    space.wants(new Fault(1, Rights.READ));
    one.hears(new ReadRequest(1));
    two.says(new Retires(2));
    one.hears(new Retires(2));
    two.hears(new Retires(2));
    one.says(new Ask(1, 1, 2));
    space.nothingIsSaid();
    two.says(new Left());
    one.hears(new Invalidated(1, 1));
  }
}
