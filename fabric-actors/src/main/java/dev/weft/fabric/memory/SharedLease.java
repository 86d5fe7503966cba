package dev.weft.fabric.memory;

import dev.weft.fabric.packet.ReadLease;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A lease whose epoch number other processes can see: it is a word of shared memory. There are {@value #WORDS} words. When all are taken,
 * leases share them. If one of these is revoked, the packets of the others are lost too, and their senders retransmit them. After the words
 * come the places where readers write what they are reading ({@link LeaseReaders}).
 */
public final class SharedLease implements ReadLease, AutoCloseable {
  static final int WORDS = 4096;
  private static final VarHandle INT = ValueLayout.JAVA_INT.varHandle();
  static final long READERS_OFFSET = (long) WORDS * Integer.BYTES;
  private static final MemorySegment TABLE = SharedMemory.allocate(Arena.global(), READERS_OFFSET + LeaseReaders.BYTES, 64);
  /** How many leases use each word; the unused words are on the stack {@code FREE}. The lock of the class guards both. */
  private static final int[] USERS = new int[WORDS];
  private static final int[] FREE = new int[WORDS];
  private static int freeCount = WORDS;
  private static int nextShared;

  static {
    for (int i = 0; i < WORDS; i++) {
      FREE[i] = WORDS - 1 - i;
    }
  }

  private final int slot = take();
  private final AtomicBoolean closed = new AtomicBoolean();

  private static synchronized int take() {
    int slot = freeCount > 0 ? FREE[--freeCount] : nextShared++ & WORDS - 1;
    USERS[slot]++;
    return slot;
  }

  private static synchronized void give(int slot) {
    if (--USERS[slot] == 0) {
      FREE[freeCount++] = slot;
    }
  }

  /** Returns the key of the shared memory that holds the words; 0 if they are in ordinary memory, which other processes do not see. */
  static int key() {
    return SharedMemory.keyOf(TABLE.address(), TABLE.byteSize());
  }

  /** Returns the index of a lease's word and its epoch number, in one value. */
  public static long state(int slot, int epoch) {
    return (long) slot << Integer.SIZE | epoch & 0xffff_ffffL;
  }

  static int slot(long state) {
    return (int) (state >>> Integer.SIZE);
  }

  /** Whether the epoch number in the table is still that of {@code state}. */
  static boolean isSame(MemorySegment table, long state) {
    return epoch(table, slot(state)) == (int) state;
  }

  private static int epoch(MemorySegment table, int slot) {
    return (int) INT.getVolatile(table, (long) slot * Integer.BYTES);
  }

  @Override
  public int epoch() {
    return epoch(TABLE, slot);
  }

  @Override
  public int slot() {
    return slot;
  }

  @Override
  public void revoke() {
    int ignored = (int) INT.getAndAdd(TABLE, (long) slot * Integer.BYTES, 1);
  }

  /** Waits a limited time for the readers that began before {@link #revoke}. Call it after that. */
  void awaitReaders() {
    LeaseReaders.await(TABLE.asSlice(READERS_OFFSET), slot);
  }

  /** Gives the word back for other leases. Revoke the lease first, so that the bytes lent under it stay lost. */
  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      give(slot);
    }
  }
}
