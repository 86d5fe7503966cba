package dev.weft.fabric.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.weft.fabric.packet.CopyCounter;
import dev.weft.fabric.packet.Payload;
import dev.weft.fabric.packet.PayloadLostException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Tag("jvms")
@Timeout(180)
class LeaseReadersTest {
  private static final int LENGTH = 1 << 20;
  private static final byte BEFORE = 0x11;
  private static final byte AFTER = 0x66;

  private final MemorySegment places = Arena.ofAuto().allocate(LeaseReaders.BYTES, 128);

  private Thread waiting(int slot) {
    return Thread.ofPlatform().daemon().start(() -> LeaseReaders.await(places, slot));
  }

  @Test
  void shouldWaitForWhoReadsUnderTheLeaseAndForNobodyElse() throws InterruptedException {
    LeaseReaders reader = LeaseReaders.enter(places);
    LeaseReaders other = LeaseReaders.enter(places);
    LeaseReaders.await(places, 7);
    reader.begin(7);
    other.begin(8);
    Thread owner = waiting(7);
    while (owner.getState() != Thread.State.TIMED_WAITING) { // The test has a time limit.
      assertTrue(owner.isAlive(), "it did not wait");
      Thread.onSpinWait();
    }
    reader.end();
    owner.join();
    reader.begin(9);
    reader.end();
    LeaseReaders.await(places, 7);
  }

  @Test
  void shouldNotWaitForEverNorTwiceForAReaderThatIsStopped() {
    LeaseReaders reader = LeaseReaders.enter(places);
    reader.begin(77);
    for (int i = 0; i < 1_000; i++) { // If it waited each time, for longer than the test may last.
      LeaseReaders.await(places, 77);
    }
    reader.end();
  }

  @Test
  void shouldNotWaitForAProcessThatHasEndedAndGiveItsPlaceToAnother() throws Exception {
    List<LeaseReaders> all = new ArrayList<>();
    for (int i = 0; i < LeaseReaders.PLACES; i++) {
      all.add(LeaseReaders.enter(places));
    }
    assertNull(LeaseReaders.enter(places), "all places are taken");
    Process process = new ProcessBuilder("sleep", "60").start();
    long value = SharedMemory.processValue(process.pid(), process.info().startInstant().orElseThrow());
    all.get(3).begin(7);
    places.set(ValueLayout.JAVA_LONG, 3 * 128, value);
    assertNull(LeaseReaders.enter(places), "the process lives");
    process.destroyForcibly().waitFor();
    LeaseReaders.await(places, 7);
    LeaseReaders heir = LeaseReaders.enter(places);
    assertNotNull(heir);
    assertEquals(SharedMemory.processValue(), places.get(ValueLayout.JAVA_LONG, 3 * 128));
    assertEquals(0, places.get(ValueLayout.JAVA_INT, 3 * 128 + 8), "and reads nothing");
    heir.leave();
    assertNotNull(LeaseReaders.enter(places));
  }

  private static PeerMemory self() {
    assumeTrue(PeerMemory.isSupported(), "no process_vm_readv(2) here");
    PeerMemory memory = PeerMemory.of(ProcessHandle.current().pid(), SharedMemory.tableAddress(), SharedMemory.processValue());
    assumeTrue(memory != null, "the kernel does not let a process read its own kind");
    return memory;
  }

  private static Payload lent(PeerMemory memory, MemoryLoan loan, SharedLease lease, MemorySegment bytes) {
    return memory.payload(0, bytes.address(), LENGTH, SharedLease.state(lease.slot(), lease.epoch()),
        SharedLease.state(loan.lease().slot(), loan.lease().epoch()), null, null);
  }

  @Test
  void shouldNotBeginToCopyWhatWasTakenBack() {
    try (PeerMemory memory = self(); SharedLease lease = new SharedLease()) {
      MemoryLoan loan = new MemoryLoan();
      MemorySegment source = Arena.ofAuto().allocate(LENGTH).fill(BEFORE);
      MemorySegment target = Arena.ofAuto().allocate(LENGTH);
      Payload payload = lent(memory, loan, lease, source);
      payload.copyTo(target, 0, new CopyCounter());
      assertEquals(-1, source.mismatch(target));
      target.fill((byte) 0);
      loan.end();
      loan.awaitReaders();
      assertThrows(PayloadLostException.class, () -> payload.copyTo(target, 0, new CopyCounter()));
      assertEquals(-1, target.mismatch(Arena.ofAuto().allocate(LENGTH)), "nothing was copied");
    }
  }

  /** As between two JVMs: one copies without end, the other takes its memory back and writes to it. */
  @Test
  void shouldNeverReadWhatIsWrittenAfterTheWait() throws InterruptedException {
    MemorySegment target = Arena.ofAuto().allocate(LENGTH);
    try (PeerMemory memory = self(); SharedLease lease = new SharedLease()) {
      for (int round = 0; round < 100; round++) {
        MemoryLoan loan = new MemoryLoan();
        MemorySegment source = Arena.ofAuto().allocate(LENGTH).fill(BEFORE);
        Payload payload = lent(memory, loan, lease, source);
        AtomicBoolean copied = new AtomicBoolean();
        Thread reader = Thread.ofPlatform().daemon().start(() -> {
          try {
            while (true) {
              payload.copyTo(target, 0, new CopyCounter());
              copied.set(true);
            }
          } catch (PayloadLostException end) {
            assertTrue(copied.get());
          }
        });
        while (!copied.get()) {
          Thread.onSpinWait();
        }
        loan.end();
        loan.awaitReaders();
        source.fill(AFTER);
        reader.join();
        for (long i = 0; i < LENGTH; i++) {
          assertFalse(target.get(ValueLayout.JAVA_BYTE, i) == AFTER, "a byte of later");
        }
      }
    }
  }

  @Test
  void shouldGiveEachLeaseAWordOfItsOwnAsLongAsThereAreAny() {
    List<SharedLease> held = new ArrayList<>();
    for (int i = 0; i < 3 * SharedLease.WORDS; i++) {
      SharedLease lease = new SharedLease();
      assertTrue(held.stream().limit(10).noneMatch(other -> other.slot() == lease.slot()));
      if (i < 10) {
        held.add(lease);
      } else {
        lease.close();
        lease.close();
      }
    }
    held.forEach(SharedLease::close);
  }
}
