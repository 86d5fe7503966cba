package dev.weft.pvfs.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.hca.verbs.WcStatus;
import dev.weft.pvfs.Errno;
import dev.weft.pvfs.layout.Striping;
import dev.weft.pvfs.wire.Band;
import dev.weft.pvfs.wire.DaemonOp;
import dev.weft.pvfs.wire.DaemonRequest;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a client can reach with a buffer that a daemon has lent it: its bytes, until it is done with it. */
@Tag("actor")
@Timeout(120)
class LentBufferTest {
  private static final int BYTES = 5000;
  private static final Striping ALONE = new Striping(0, 1, 65_536, 1);

  private final StripedCluster cluster = new StripedCluster(1, "weft.pvfs.daemon.direct-buffers = 1");
  private final RawClient raw = RawClient.connect(cluster.fabric.addNode("raw"), cluster.addresses.get(0));

  @AfterEach
  void close() {
    cluster.close();
  }

  private void await(BooleanSupplier condition, String what) {
    cluster.fabric.await(condition, StripedCluster.PATIENCE);
    assertTrue(condition.getAsBoolean(), what + "; it said " + raw.said + ", " + raw.completed + (raw.hasFailed ? ", failed" : ""));
  }

  private static DaemonRequest read(long id) {
    DaemonRequest request = new DaemonRequest();
    request.op = DaemonOp.READ;
    request.band = Band.CLIENT;
    request.object = 7;
    request.id = id;
    return request;
  }

  private void writeSecret(DataClient owner) {
    assertEquals(Errno.OK, owner.write(7, ALONE, 0, Arena.ofAuto().allocate(BYTES).fill((byte) 0x5e)).errno());
  }

  /** The loan for request {@code id} of 1000 bytes. */
  private RawClient.Said borrow(long id) {
    await(() -> raw.isConnected, "it connects");
    int before = raw.said.size();
    raw.request(read(id), 1000);
    await(() -> raw.said.size() > before, "it gets a buffer");
    assertTrue(raw.said.getLast().isLoan());
    return raw.said.getLast();
  }

  @Test
  void shouldShowTheBytesOfTheRequest() {
    try (DataClient owner = cluster.client(Band.INLINE)) {
      writeSecret(owner);
      RawClient.Said loan = borrow(1);
      raw.fetch(loan.address(), loan.key(), 1000);
      await(() -> !raw.completed.isEmpty(), "it fetches");
      assertEquals(WcStatus.SUCCESS, raw.completed.getFirst());
      assertEquals(0x5e, raw.memory().get(ValueLayout.JAVA_BYTE, 999));
      raw.done(1);
      await(() -> raw.said.size() == 2, "it is answered");
      assertEquals(1000, raw.said.getLast().bytes());
      assertEquals(0, cluster.daemon(0).lent());
    }
  }

  @Test
  void shouldNotShowMoreThanThat() {
    RawClient.Said loan = borrow(1);
    raw.fetch(loan.address(), loan.key(), 1001);
    await(() -> raw.hasFailed, "it is refused");
  }

  @Test
  void shouldShowNothingToWhoIsDone() {
    try (DataClient owner = cluster.client(Band.CLIENT)) {
      RawClient.Said loan = borrow(1);
      raw.done(1);
      await(() -> raw.said.size() == 2, "it is answered");
      writeSecret(owner); // By the same buffer.
      raw.fetch(loan.address(), loan.key(), 1000);
      await(() -> raw.hasFailed, "it is refused");
      assertFalse(containsSecret(raw.memory()));
    }
  }

  private static boolean containsSecret(MemorySegment memory) {
    for (long at = 0; at < 1000; at++) {
      if (memory.get(ValueLayout.JAVA_BYTE, at) == 0x5e) {
        return true;
      }
    }
    return false;
  }

  @Test
  void shouldComeBackFromAClientThatIsGone() {
    try (DataClient owner = cluster.client(Band.CLIENT)) {
      borrow(1);
      assertEquals(1, cluster.daemon(0).lent());
      cluster.fabric.closeNode("raw");
      writeSecret(owner); // It waits for the one buffer.
      assertEquals(0, cluster.daemon(0).lent());
    }
  }

  @Test
  void shouldEndTheConnectionOfWhoIsDoneWithWhatItHasNot() {
    await(() -> raw.isConnected, "it connects");
    raw.done(17);
    await(() -> raw.hasFailed || !raw.isConnected, "it is disconnected");
    assertTrue(cluster.daemon(0).refused() >= 1);
  }
}
