package dev.weft.fabric.subnet;

import static org.junit.jupiter.api.Assertions.assertEquals;

import akka.cluster.MemberStatus;
import dev.weft.fabric.subnet.MembershipWait.State;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class MembershipWaitTest {
  private static final Duration SECOND = Duration.ofSeconds(1);

  private final MembershipWait wait = new MembershipWait(Duration.ofSeconds(3));

  @Test
  void shouldNotCountWhatNobodyHasLetIn() {
    for (int i = 0; i < 100; i++) {
      assertEquals(State.WAITING, wait.after(SECOND, MemberStatus.removed()));
    }
    assertEquals(State.WAITING, wait.after(SECOND, MemberStatus.joining()));
  }

  @Test
  void shouldBeOverdueWhenItWasLetInAndNotTakenUp() {
    assertEquals(State.WAITING, wait.after(SECOND, MemberStatus.joining()));
    assertEquals(State.WAITING, wait.after(SECOND, MemberStatus.weaklyUp()));
    assertEquals(State.OVERDUE, wait.after(SECOND, MemberStatus.weaklyUp()));
  }

  @Test
  void shouldEndWithMembership() {
    wait.after(SECOND, MemberStatus.joining());
    assertEquals(State.MEMBER, wait.after(SECOND, MemberStatus.up()));
    assertEquals(State.MEMBER, new MembershipWait(SECOND).after(SECOND, MemberStatus.leaving()), "it was one");
  }
}
