package dev.weft.dsm.access;

import dev.weft.dsm.SharedDoubles;
import dev.weft.dsm.access.Announcements.Slot;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.lang.ref.Reference;

/** An array of doubles; each access checks the page table first. */
public final class CheckedDoubles extends CheckedArray implements SharedDoubles {
  private static final VarHandle ELEMENT = ValueLayout.JAVA_DOUBLE.varHandle();

  public CheckedDoubles(PageTable table, MemorySegment frames, Announcements announcements, Faulting faulting) {
    super(table, frames, announcements, faulting);
  }

  @Override
  public double get(long index) {
    long offset = checked(index) << 3;
    int page = pageOf(offset);
    if (mayRead(page)) {
      try {
        return (double) ELEMENT.getOpaque(MEMORY, base + offset);
      } finally {
        Reference.reachabilityFence(frames);
      }
    }
    hold(offset, offset, Rights.READ);
    try {
      return (double) ELEMENT.getVolatile(MEMORY, base + offset);
    } finally {
      Reference.reachabilityFence(frames);
      letGo();
    }
  }

  @Override
  public void set(long index, double value) {
    long offset = checked(index) << 3;
    Slot announced = beginWrite(offset);
    try {
      ELEMENT.setVolatile(MEMORY, base + offset, value);
    } finally {
      Reference.reachabilityFence(frames);
      endWrite(announced);
    }
  }

  @Override
  public double getAndAdd(long index, double delta) {
    requireAtomics();
    long offset = checked(index) << 3;
    hold(offset, offset, Rights.WRITE);
    try {
      double before;
      do {
        before = (double) ELEMENT.getVolatile(MEMORY, base + offset);
      } while (!ELEMENT.compareAndSet(MEMORY, base + offset, before, before + delta));
      return before;
    } finally {
      Reference.reachabilityFence(frames);
      letGo();
    }
  }

  @Override
  public void read(long index, double[] to, int at, int count) {
    java.util.Objects.checkFromIndexSize(at, count, to.length);
    if (holdRange(index, count, Rights.READ)) {
      try {
        MemorySegment.copy(frames, ValueLayout.JAVA_DOUBLE, start + (checked(index) << 3), to, at, count);
      } finally {
        letGo();
      }
    }
  }

  @Override
  public void write(long index, double[] from, int at, int count) {
    java.util.Objects.checkFromIndexSize(at, count, from.length);
    if (holdRange(index, count, Rights.WRITE)) {
      try {
        MemorySegment.copy(from, at, frames, ValueLayout.JAVA_DOUBLE, start + (checked(index) << 3), count);
      } finally {
        letGo();
      }
    }
  }
}
