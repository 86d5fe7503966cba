package dev.weft.dsm.mmu;

import dev.weft.dsm.wire.ObjectSpec.Kind;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.Objects;

/**
 * An array of shared memory that an application has mapped. {@link #get} and {@link #set} are volatile accesses, and sequentially consistent among
 * all threads of all nodes. Plain accesses to {@link #memory} have only the order that this process gives them. An access to data that the node has
 * is a load or a store; any other access is a page fault. Any thread.
 *
 * @param memory the whole view; an element is at {@link #offsetOf}
 */
public record MappedView(String name, Kind kind, long length, ViewLayout layout, MemorySegment memory) {
  private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();

  /** Offset of an element in {@link #memory}. */
  public long offsetOf(long index) {
    return layout.offsetOf(Objects.checkIndex(index, length) * kind.elementBytes());
  }

  /** Number of elements of one minipage, from {@code index} on, that are contiguous in {@link #memory}; at most {@code count}. */
  int run(long index, int count) {
    long perMinipage = layout.strideBytes() / kind.elementBytes();
    return (int) Math.min(count, perMinipage - index % perMinipage);
  }

  private long longAt(long index) {
    if (kind.elementBytes() != Long.BYTES) {
      throw new IllegalStateException("\"" + name + "\" is of " + kind + ", which are not of 8 bytes");
    }
    return offsetOf(index);
  }

  /** Reads an element of 8 bytes. */
  public long get(long index) {
    return (long) LONG.getVolatile(memory, longAt(index));
  }

  /** Writes an element of 8 bytes. */
  public void set(long index, long value) {
    LONG.setVolatile(memory, longAt(index), value);
  }

  /** Adds to an element of 8 bytes atomically; returns the value before. */
  public long getAndAdd(long index, long delta) {
    return (long) LONG.getAndAdd(memory, longAt(index), delta);
  }

  /** Writes an element of 8 bytes atomically if its value is {@code expected}; returns whether it did. */
  public boolean compareAndSet(long index, long expected, long value) {
    return LONG.compareAndSet(memory, longAt(index), expected, value);
  }
}
