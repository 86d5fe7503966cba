package dev.weft.dsm.sync;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.weft.dsm.wire.DsmMessage;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Who hears that the holder of a lock was lost. */
@Timeout(10)
class LockLossTest {
  private final List<DsmMessage> sent = new ArrayList<>();

  @Test
  void shouldSendBackWhatNobodyWasTold() {
    LockNode<String> node = new LockNode<>(7, () -> 0, new LockWord(), (to, message) -> sent.add(message), woken -> { });
    node.onWait("thread");
    node.cancel("thread");
    node.onGrant(true, true);
    assertEquals(new DsmMessage.LockReturn(7, false, true), sent.getLast());
  }

  @Test
  void shouldTellTheNextNodeWhatNobodyWasTold() {
    LockHome home = new LockHome(7, (to, message) -> sent.add(message));
    home.onRequest(1);
    home.onRequest(2);
    home.onRequest(3);
    home.onNodeLost(1);
    assertEquals(new DsmMessage.LockGrant(7, true, true), sent.getLast());
    home.onReturn(2, false, true);
    assertEquals(new DsmMessage.LockGrant(7, false, true), sent.getLast());
  }
}
