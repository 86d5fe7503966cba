package dev.weft.fabric.memory;

import dev.weft.fabric.packet.ReadLease;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A lease whose number peers see: a word of shared memory. There are {@value #WORDS} words, given out until all are taken, then shared; who
 * shares one with another loses packets when the other revokes, and sends them again. Behind the words are places where peers say what they
 * are reading ({@link LeaseReaders}).
 */
public final class SharedLease implements ReadLease, AutoCloseable {
  static final int WORDS = 4096;
  private static final VarHandle INT = ValueLayout.JAVA_INT.varHandle();
  static final long READERS_OFFSET = (long) WORDS * Integer.BYTES;
  private static final MemorySegment TABLE = SharedMemory.allocate(Arena.global(), READERS_OFFSET + LeaseReaders.BYTES, 64);
  /** How many leases have each word; the words that none has are on a stack. Under the lock of the class. */
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

  /** Key of the shared memory in which the words are; 0 if there is none, and so nobody else sees them. */
  static int key() {
    return SharedMemory.keyOf(TABLE.address(), TABLE.byteSize());
  }

  /** A lease's word and its number, as one. */
  public static long state(int slot, int epoch) {
    return (long) slot << Integer.SIZE | epoch & 0xffff_ffffL;
  }

  static int slot(long state) {
    return (int) (state >>> Integer.SIZE);
  }

  /** Whether the number is still the same. */
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

  /** After {@link #revoke}: waits, not for ever, until nobody reads under what the lease was before. */
  void awaitReaders() {
    LeaseReaders.await(TABLE.asSlice(READERS_OFFSET), slot);
  }

  /** Gives the word to others. It was revoked, so that what was lent under it stays lost. */
  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      give(slot);
    }
  }
}
