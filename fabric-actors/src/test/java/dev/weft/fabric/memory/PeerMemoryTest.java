package dev.weft.fabric.memory;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.fabric.packet.CopyCounter;
import dev.weft.fabric.packet.Payload;
import dev.weft.fabric.packet.PayloadLostException;
import dev.weft.fabric.packet.TargetLostException;
import dev.weft.fabric.rules.Needs;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Reading memory through the kernel, that of this process: the call does not tell it from another's. */
@Tag("jvms")
@Timeout(180)
class PeerMemoryTest {
  private static final int BYTES = 200_000; // More than the bounce buffer of heap targets, and no multiple of it.

  private final long self = ProcessHandle.current().pid();
  private final byte[] data = new byte[BYTES];
  private final MemorySegment source = Arena.ofAuto().allocate(BYTES);
  private final SharedLease lease = new SharedLease();
  private PeerMemory memory;

  @BeforeEach
  void start() {
    Needs.that(PeerMemory.isSupported(), "there is no process_vm_readv(2), which Linux has");
    memory = PeerMemory.of(self, SharedMemory.tableAddress(), SharedMemory.processValue());
    Needs.that(memory != null, "this process may not read another of its user (process_vm_readv(2)); a sandbox forbids it");
    new Random(1).nextBytes(data);
    MemorySegment.copy(data, 0, source, ValueLayout.JAVA_BYTE, 0, BYTES);
  }

  @Test
  void shouldCopyOnceToNativeMemoryAndTwiceToTheHeap() {
    MemorySegment target = Arena.ofAuto().allocate(BYTES + 10);
    assertEquals(BYTES, memory.copyTo(source.address(), target, 7, BYTES));
    assertArrayEquals(data, target.asSlice(7, BYTES).toArray(ValueLayout.JAVA_BYTE));
    byte[] heap = new byte[BYTES];
    assertEquals(2 * BYTES, memory.copyTo(source.address(), MemorySegment.ofArray(heap), 0, BYTES));
    assertArrayEquals(data, heap);
  }

  @Test
  void shouldTellAStranger() {
    long table = SharedMemory.tableAddress();
    long value = SharedMemory.processValue();
    assertNull(PeerMemory.of(self, table, value + 1), "another value");
    assertNull(PeerMemory.of(self, 8, value), "no memory");
    assertNull(PeerMemory.of(Integer.MAX_VALUE, table, value), "no process");
  }

  @Test
  void shouldCallBytesLostThatAreNotThereAnyMore() throws Exception {
    MemorySegment target = Arena.ofAuto().allocate(BYTES);
    assertTrue(assertThrows(PayloadLostException.class, () -> memory.copyTo(8, target, 0, 10)).getMessage().contains("errno 14"));
    Process process = new ProcessBuilder("sleep", "60").start();
    process.destroyForcibly().waitFor();
    assertNull(PeerMemory.of(process.pid(), SharedMemory.tableAddress(), SharedMemory.processValue()));
  }

  @Test
  void shouldTellAPayloadFromATargetThatIsNotThere() throws Exception {
    Needs.that(LinuxMemory.isSupported(), "there is no memfd_create(2), which Linux has");
    MemorySegment target = Arena.ofAuto().allocate(1000);
    try (CutFile file = new CutFile()) {
      Payload good = payload(0, source.address(), 1000);
      Payload shared = mapped(SharedMemory.allocate(Arena.ofAuto(), 100_000, 4096), 0, 1000);
      Payload own = Payload.of(source, 0, 1000);
      file.cut();
      Payload cut = payload(0, file.memory().address(), 1000);
      assertThrows(PayloadLostException.class, () -> cut.copyTo(target, 0, new CopyCounter()));
      assertThrows(PayloadLostException.class, () -> Payload.of(file.memory(), 0, 1000).copyTo(target, 0, new CopyCounter()));
      for (Payload payload : new Payload[] {good, shared, own}) {
        assertThrows(TargetLostException.class, () -> payload.copyTo(file.memory(), 0, new CopyCounter()));
        payload.copyTo(target, 0, new CopyCounter());
      }
    }
  }

  @Test
  void shouldNotWriteBesideTheTarget() {
    MemorySegment target = Arena.ofAuto().allocate(100);
    assertThrows(IndexOutOfBoundsException.class, () -> memory.copyTo(source.address(), target, 50, 51));
    assertThrows(IndexOutOfBoundsException.class, () -> memory.copyTo(source.address(), target, -1, 5));
    Arena arena = Arena.ofShared();
    MemorySegment closed = arena.allocate(100);
    arena.close();
    IllegalStateException e = assertThrows(IllegalStateException.class, () -> memory.copyTo(source.address(), closed, 0, 100));
    assertEquals(IllegalStateException.class, e.getClass(), "the target is gone, not the payload");
  }

  @Test
  void shouldBePartOfAPayloadLikeOtherBytes() {
    MemorySegment own = Arena.ofAuto().allocate(100);
    own.fill((byte) 9);
    Payload far = Payload.of(memory, source.address() + 1000, 300, Payload.of(own, 10, 50), null);
    assertEquals(350, far.length());
    assertEquals(-1, far.nativePieces(), "it cannot be referred to once more");
    byte[] want = new byte[350];
    System.arraycopy(data, 1000, want, 0, 300);
    Arrays.fill(want, 300, 350, (byte) 9);
    MemorySegment target = Arena.ofAuto().allocate(350);
    CopyCounter copies = new CopyCounter();
    far.copyTo(target, 0, copies);
    assertArrayEquals(want, target.toArray(ValueLayout.JAVA_BYTE));
    assertEquals(350, copies.bytes());
    target.fill((byte) 0);
    far.slice(250, 80).copyTo(20, target, 0, 60, copies);
    assertArrayEquals(Arrays.copyOfRange(want, 270, 330), target.asSlice(0, 60).toArray(ValueLayout.JAVA_BYTE));
    MemorySegment joined = Arena.ofAuto().allocate(360);
    Payload.join(Payload.of(own, 0, 10), far.ownedBy(() -> {})).copyTo(joined, 0, copies);
    assertArrayEquals(want, joined.asSlice(10).toArray(ValueLayout.JAVA_BYTE));
  }

  /** The payload of a range of shared memory once it is mapped. */
  private Payload mapped(MemorySegment shared, long offset, int length) throws InterruptedException {
    int key = SharedMemory.keyOf(shared.address() + offset, length);
    assertTrue(key != 0);
    while (!memory.isMapped(key)) { // By another thread, which has been told to by the first look; the test has a time limit.
      Thread.sleep(1);
    }
    return payload(key, shared.address() + offset, length);
  }

  private Payload payload(int key, long address, int length) {
    long state = SharedLease.state(lease.slot(), lease.epoch());
    return memory.payload(key, address, length, state, state, null, null);
  }

  @Test
  void shouldMapSharedMemoryAndNeverTakeOnePieceForAnother() throws Exception {
    Needs.that(LinuxMemory.isSupported(), "there is no memfd_create(2), which Linux has");
    byte[] got = new byte[1000];
    long former = 0;
    int formerKey = 0;
    for (int round = 0; round < 100; round++) {
      try (Arena arena = Arena.ofShared()) {
        MemorySegment shared = SharedMemory.allocate(arena, 100_000, 4096);
        assertEquals(0, shared.get(ValueLayout.JAVA_LONG, 99_000 & -8));
        int key = SharedMemory.keyOf(shared.address(), 1);
        assertTrue(key != 0 && key != formerKey);
        if (former == shared.address()) { // The kernel gives addresses again, and the former owner's bytes are still mapped here.
          assertThrowsOrOld(formerKey, former, round - 1);
        }
        shared.fill((byte) round);
        Payload payload = mapped(shared, 50_000, 1000);
        payload.copyTo(MemorySegment.ofArray(got), 0, new CopyCounter());
        assertEquals(round, got[999]);
        shared.set(ValueLayout.JAVA_BYTE, 50_999, (byte) -1);
        payload.copyTo(MemorySegment.ofArray(got), 0, new CopyCounter());
        assertEquals(-1, got[999], "it is the same memory, not a copy");
        assertEquals(0, SharedMemory.keyOf(shared.address() + 102_000, 1000), "part of it only");
        assertThrows(IndexOutOfBoundsException.class, () -> payload(key, shared.address() + 102_400, 1));
        lease.revoke();
        assertThrows(PayloadLostException.class, () -> payload.copyTo(MemorySegment.ofArray(got), 0, new CopyCounter()));
        former = shared.address();
        formerKey = key;
      }
      assertEquals(0, SharedMemory.keyOf(former, 1));
    }
  }

  @Test
  void shouldLoseWhatItHasMappedWhenItIsClosed() throws Exception {
    Needs.that(LinuxMemory.isSupported(), "there is no memfd_create(2), which Linux has");
    MemorySegment shared = SharedMemory.allocate(Arena.ofAuto(), 100_000, 4096);
    Payload payload = mapped(shared, 0, 1000);
    memory.close();
    MemorySegment target = Arena.ofAuto().allocate(1000);
    assertThrows(PayloadLostException.class, () -> payload.copyTo(target, 0, new CopyCounter()));
    assertFalse(memory.isMapped(SharedMemory.keyOf(shared.address(), 1)), "and nothing is mapped again");
    assertThrows(IndexOutOfBoundsException.class, () -> memory.payload(0, 0, 1, SharedLease.state(SharedLease.WORDS, 0), 0, null, null));
  }

  private void assertThrowsOrOld(int key, long address, int round) {
    byte[] got = new byte[1];
    payload(key, address, 1).copyTo(MemorySegment.ofArray(got), 0, new CopyCounter());
    assertTrue(got[0] == round || got[0] == 0, "neither the former bytes nor those that are there now: " + got[0]);
  }

  @Test
  void shouldGiveOrdinaryMemoryWhenTheTableIsFull() {
    Needs.that(LinuxMemory.isSupported(), "there is no memfd_create(2), which Linux has");
    try (Arena arena = Arena.ofShared()) {
      int shared = 0;
      for (int i = 0; i < SharedMemory.SEGMENTS_MAX + 2; i++) {
        MemorySegment memory = SharedMemory.allocate(arena, 16 * 1024, 4096);
        memory.fill((byte) i);
        shared += SharedMemory.keyOf(memory.address(), memory.byteSize()) == 0 ? 0 : 1;
      }
      assertTrue(shared <= SharedMemory.SEGMENTS_MAX && shared > SharedMemory.SEGMENTS_MAX / 2, shared + " pieces");
    }
    try (Arena arena = Arena.ofShared()) {
      assertEquals(0, SharedMemory.keyOf(SharedMemory.allocate(arena, 16 * 1024 - 1, 4096).address(), 1), "too short");
      MemorySegment again = SharedMemory.allocate(arena, 16 * 1024, 4096);
      assertTrue(SharedMemory.keyOf(again.address(), again.byteSize()) != 0, "the places are free again");
    }
  }
}
