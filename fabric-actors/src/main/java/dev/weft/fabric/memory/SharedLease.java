package dev.weft.fabric.memory;

import dev.weft.fabric.packet.ReadLease;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A lease whose number peers see: a word of shared memory. There are {@value #WORDS} words, given out in turn; who shares one with another
 * loses packets when the other revokes, and sends them again.
 */
public final class SharedLease implements ReadLease {
  static final int WORDS = 4096;
  private static final VarHandle INT = ValueLayout.JAVA_INT.varHandle();
  private static final MemorySegment TABLE = SharedMemory.allocate(Arena.global(), (long) WORDS * Integer.BYTES, 64);
  private static final AtomicInteger GIVEN = new AtomicInteger();

  private final int slot = GIVEN.getAndIncrement() & WORDS - 1;

  /** Key of the shared memory in which the words are; 0 if there is none, and so nobody else sees them. */
  static int key() {
    return SharedMemory.keyOf(TABLE.address(), TABLE.byteSize());
  }

  static int epoch(MemorySegment table, int slot) {
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
}
