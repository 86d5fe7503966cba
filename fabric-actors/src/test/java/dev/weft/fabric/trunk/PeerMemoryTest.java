package dev.weft.fabric.trunk;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
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
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Reading memory through the kernel, that of this process: the call does not tell it from another's. */
@Timeout(30)
class PeerMemoryTest {
  private static final int BYTES = 200_000; // More than the bounce buffer of heap targets, and no multiple of it.

  private final long self = ProcessHandle.current().pid();
  private final PeerMemory.Probe probe = new PeerMemory.Probe(0x1234_5678_9abc_def0L);
  private final byte[] data = new byte[BYTES];
  private final MemorySegment source = Arena.ofAuto().allocate(BYTES);
  private PeerMemory memory;

  @BeforeEach
  void start() {
    assumeTrue(PeerMemory.isSupported(), "no process_vm_readv(2) here");
    memory = PeerMemory.of(self, probe.address(), probe.value);
    assumeTrue(memory != null, "the kernel does not let a process read its own kind");
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
  void shouldTellAStrangerByItsProbe() {
    assertNull(PeerMemory.of(self, probe.address(), probe.value + 1), "another value");
    assertNull(PeerMemory.of(self, 8, probe.value), "no memory");
    assertNull(PeerMemory.of(Integer.MAX_VALUE, probe.address(), probe.value), "no process");
    assertNull(PeerMemory.of(new TrunkAddress("driver", 1, "", 4096, 1024)), "nothing to be read");
    assertNotNull(PeerMemory.of(new TrunkAddress("driver", 1, "", 4096, 1024, self, probe.address(), probe.value)));
  }

  @Test
  void shouldCallBytesLostThatAreNotThereAnyMore() throws Exception {
    MemorySegment target = Arena.ofAuto().allocate(BYTES);
    assertTrue(assertThrows(PayloadLostException.class, () -> memory.copyTo(8, target, 0, 10)).getMessage().contains("errno 14"));
    Process process = new ProcessBuilder("sleep", "60").start();
    process.destroyForcibly().waitFor();
    MemorySegment word = Arena.ofAuto().allocate(8);
    assertNull(PeerMemory.of(process.pid(), word.address(), 0));
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
    assertTrue(!(e instanceof PayloadLostException), "the target is gone, not the payload: " + e);
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
}
