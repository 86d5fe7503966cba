package dev.weft.tripwire.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.fabric.rules.OwnThread;
import dev.weft.hca.verbs.ReceiveContext;
import dev.weft.tripwire.nic.DmaQueue;
import dev.weft.tripwire.nic.Endpoint;
import dev.weft.tripwire.nic.EventQueue;
import dev.weft.tripwire.nic.NicException;
import dev.weft.tripwire.nic.Status;
import dev.weft.tripwire.nic.Tripwire;
import dev.weft.tripwire.nic.Watch;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What an application does wrong, and that its fabric is closed, ends what concerns it, and not the NIC. */
@Tag("actor")
@Timeout(180)
class FailingApplicationTest extends RealPair {
  private static final long SECOND = 1_000_000_000L;

  /** What fails. */
  private enum Listener {
    READ, MESSAGE, EVENTS, TRIPWIRE
  }

  private static void fail(CompletableFuture<Void> called) {
    called.complete(null);
    throw new IllegalStateException("on purpose");
  }

  @ParameterizedTest
  @EnumSource(Listener.class)
  void shouldGoOnWhenAListenerFails(Listener which) throws Exception {
    CompletableFuture<Void> called = new CompletableFuture<>();
    Tripwire wire = far.tripwire().set(aperture, Watch.WRITE, 0, 8, false);
    switch (which) {
      case READ -> mapping.read(0, arena.allocate(8), 0, 8, status -> fail(called));
      case MESSAGE -> {
        Endpoint to = far.endpoint(0);
        to.onMessage(() -> fail(called));
        near.endpoint(0).send(far.lid(), to.port(), new byte[] {1});
      }
      case EVENTS -> {
        EventQueue queue = far.eventQueue();
        queue.register(wire);
        queue.onReadable(() -> fail(called));
        wire.arm();
        mapping.writeLong(0, 1);
      }
      case TRIPWIRE -> {
        wire.onFired((fired, firings) -> fail(called), ReceiveContext.ISR).arm();
        mapping.writeLong(0, 1);
      }
    }
    called.get(90, TimeUnit.SECONDS);
    CompletableFuture<Long> fired = new CompletableFuture<>();
    far.tripwire().set(aperture, Watch.WRITE, 64, 8, false).onFired((tripwire, firings) -> fired.complete(firings), ReceiveContext.ISR).arm();
    mapping.writeLong(64, 2);
    assertEquals(1, fired.get(90, TimeUnit.SECONDS));
    CompletableFuture<Status> read = new CompletableFuture<>();
    mapping.read(64, arena.allocate(8), 0, 8, read::complete);
    assertEquals(Status.OK, read.get(90, TimeUnit.SECONDS));
  }

  @Test
  void shouldRefuseWhatCannotBeCalledOrWritten() {
    assertThrows(NullPointerException.class, () -> far.tripwire().onFired((fired, firings) -> {}, null));
    assertThrows(NullPointerException.class, () -> mapping.read(0, memory, 0, 8, null));
    assertThrows(NullPointerException.class, () -> mapping.read(0, null, 0, 8, status -> {}));
    NicException refused = assertThrows(NicException.class, () -> mapping.read(0, memory.asReadOnly(), 0, 8, status -> {}));
    assertEquals(Status.INVALID, refused.status());
  }

  /** The message of each wrong store is its own; a later one is made. */
  @Test
  void shouldStoreAfterStoresThatWereRefused() {
    MemorySegment source = arena.allocate(64);
    Arena gone = Arena.ofShared();
    MemorySegment freed = gone.allocate(64);
    gone.close();
    assertThrows(IndexOutOfBoundsException.class, () -> mapping.write(0, source, 60, 8));
    assertThrows(IndexOutOfBoundsException.class, () -> mapping.write(0, source, -8, 8));
    assertThrows(NullPointerException.class, () -> mapping.write(0, null, 0, 8));
    assertThrows(IllegalStateException.class, () -> mapping.write(0, freed, 0, 8));
    for (long i = 1; i <= 100_000; i++) {
      mapping.writeLong(0, i);
    }
    assertTrue(fabric.help(() -> (long) ValueLayout.JAVA_LONG.varHandle().getAcquire(memory, 0L) == 100_000, 90 * SECOND));
  }

  @Test
  void shouldEndWhatANicHasUnderWayWhenItsFabricIsClosed() throws Exception {
    Tripwire wire = near.tripwire().set(near.export(arena.allocate(64, 8)), Watch.WRITE, 0, 8, false);
    wire.arm();
    EventQueue queue = near.eventQueue();
    CompletableFuture<Boolean> fired = CompletableFuture.supplyAsync(() -> wire.await(0, 200 * SECOND), OwnThread::run);
    CompletableFuture<Boolean> readable = CompletableFuture.supplyAsync(() -> queue.await(0, 200 * SECOND), OwnThread::run);
    DmaQueue dma = near.endpoint(0).dma();
    int posted = 0;
    while (posted < 64 && dma.write(mapping, 0, memory, 0, 1 << 16, posted)) {
      posted++;
    }
    assertTrue(posted > 0);
    fabric.close();
    assertEquals(false, fired.get(90, TimeUnit.SECONDS));
    assertEquals(false, readable.get(90, TimeUnit.SECONDS));
    assertEquals(posted, dma.done(), "ended, in one way or the other");
    assertEquals(Status.INVALID, mapping.status());
    assertThrows(NicException.class, () -> mapping.writeLong(0, 1));
    assertThrows(NicException.class, () -> near.tripwire());
    near.close();
  }
}
