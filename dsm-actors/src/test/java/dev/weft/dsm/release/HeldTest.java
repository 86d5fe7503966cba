package dev.weft.dsm.release;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.weft.dsm.wire.DsmMessage;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A thread has come to a barrier, and copies lack still what it has written. */
class HeldTest {
  private static final DsmMessage ARRIVAL = new DsmMessage.BarrierArrive(10);
  private static final long PASS = 1;
  private static final long SEQ = 5;

  private final List<DsmMessage> sent = new ArrayList<>();
  private final Held held = new Held((node, message) -> sent.add(message), () -> PASS);

  private void shouldSend(List<DsmMessage> atOnce, DsmMessage message, List<DsmMessage> inTheEnd) {
    held.send(1, ARRIVAL);
    held.send(1, message);
    assertEquals(atOnce, sent);
    held.onPassDone(PASS, SEQ);
    held.onDone(SEQ - 1);
    assertEquals(atOnce, sent);
    held.onDone(SEQ);
    assertEquals(inTheEnd, sent);
  }

  @Test
  void shouldKeepWhatComesBehindInOrder() {
    DsmMessage request = new DsmMessage.LockRequest(3);
    shouldSend(List.of(), request, List.of(ARRIVAL, request));
  }

  /** Requests for minipages do not wait, and from a node that has not said so they are void. */
  @Test
  void shouldSayAtOnceThatANodeIsLost() {
    DsmMessage gone = new DsmMessage.NodeGone(0);
    shouldSend(List.of(gone), gone, List.of(gone, ARRIVAL));
  }

  @Test
  void shouldSayAtOnceThatANodeRetires() {
    DsmMessage retires = new DsmMessage.Retires(0);
    shouldSend(List.of(retires), retires, List.of(retires, ARRIVAL));
  }

  @Test
  void shouldLetHomesSpeakAtOnce() {
    DsmMessage grant = new DsmMessage.LockGrant(3, false, false);
    shouldSend(List.of(grant), grant, List.of(grant, ARRIVAL));
  }
}
