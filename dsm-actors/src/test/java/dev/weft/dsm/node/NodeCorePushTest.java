package dev.weft.dsm.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.dsm.access.Announcements;
import dev.weft.dsm.access.CheckedAccess;
import dev.weft.dsm.access.Rights;
import dev.weft.dsm.member.NodeCore;
import dev.weft.dsm.net.Transfers;
import dev.weft.dsm.objects.Fault;
import dev.weft.dsm.wire.DsmMessage;
import dev.weft.dsm.wire.ObjectSpec;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A node gets a copy that it did not ask for. */
class NodeCorePushTest {
  private final List<DsmMessage> sent = new ArrayList<>();
  private final CheckedAccess access = new CheckedAccess(new Announcements(1), true);
  private final NodeCore core = new NodeCore(access, minipage -> 1, minipage -> false, (node, message) -> sent.add(message), new Transfers() {
    @Override
    public void write(int minipage, int node) {}

    @Override
    public void read(int minipage, int op, int node) {}
  }, 0);

  NodeCorePushTest() {
    access.add(new ObjectSpec(1, ObjectSpec.Kind.LONGS, "words", 1, 8, 0, 0, 2));
  }

  @Test
  void shouldAskOnceForTheRightToWriteAlsoIfACopyToReadComesBefore() {
    Fault fault = new Fault(0, Rights.WRITE);
    core.onFault(fault);
    core.onData(new DsmMessage.Data(0, 1, false), 1);
    assertEquals(List.of(new DsmMessage.WriteRequest(0), new DsmMessage.Confirm(0, 1)), sent);
    assertFalse(fault.isOver());
    core.onGrant(new DsmMessage.Grant(0, 2, true), 1);
    assertTrue(fault.isOver());
    assertEquals(new DsmMessage.Confirm(0, 2), sent.getLast());
    assertEquals(3, sent.size());
  }
}
