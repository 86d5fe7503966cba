package dev.weft.dsm.mmu;

import dev.weft.dsm.wire.ObjectSpec.Kind;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.Objects;

/**
 * An array of shared memory as an application has it mapped. {@link #get} and {@link #set} are volatile accesses and sequentially consistent among all
 * threads of all nodes; plain accesses to {@link #memory} are as ordered as this process orders them. An access of what the node has is
 * a load or a store, any other one a page fault. Any thread.
 *
 * @param memory all of the view; an element is at {@link #offsetOf}
 */
public record MappedView(String name, Kind kind, long length, ViewLayout layout, MemorySegment memory) {
  private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();

  /** Where an element is in {@link #memory}. */
  public long offsetOf(long index) {
    return layout.offsetOf(Objects.checkIndex(index, length) * kind.elementBytes());
  }

  /** Elements of one minipage from {@code index} on that lie one after the other in {@link #memory}, at most {@code count}. */
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

  /** Adds to an element of 8 bytes, atomically; answers what was there before. */
  public long getAndAdd(long index, long delta) {
    return (long) LONG.getAndAdd(memory, longAt(index), delta);
  }

  /** Writes an element of 8 bytes if it is {@code expected}, atomically; answers whether it did. */
  public boolean compareAndSet(long index, long expected, long value) {
    return LONG.compareAndSet(memory, longAt(index), expected, value);
  }
}
