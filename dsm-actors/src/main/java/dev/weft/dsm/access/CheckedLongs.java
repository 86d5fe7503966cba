package dev.weft.dsm.access;

import dev.weft.dsm.SharedLongs;
import dev.weft.dsm.access.Announcements.Slot;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.lang.ref.Reference;

/** An array of longs; each access checks the page table first. */
public final class CheckedLongs extends CheckedArray implements SharedLongs {
  private static final VarHandle ELEMENT = ValueLayout.JAVA_LONG.varHandle();

  public CheckedLongs(PageTable table, MemorySegment frames, Announcements announcements, Faulting faulting) {
    super(table, frames, announcements, faulting);
  }

  @Override
  public long get(long index) {
    long offset = checked(index) << 3;
    int page = pageOf(offset);
    if (mayRead(page)) {
      try {
        return (long) ELEMENT.getOpaque(MEMORY, base + offset);
      } finally {
        Reference.reachabilityFence(frames);
      }
    }
    hold(offset, offset, Rights.READ);
    try {
      return (long) ELEMENT.getVolatile(MEMORY, base + offset);
    } finally {
      Reference.reachabilityFence(frames);
      letGo();
    }
  }

  @Override
  public void set(long index, long value) {
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
  public long getAndAdd(long index, long delta) {
    requireAtomics();
    long offset = checked(index) << 3;
    Slot announced = beginWrite(offset);
    try {
      return (long) ELEMENT.getAndAdd(MEMORY, base + offset, delta);
    } finally {
      Reference.reachabilityFence(frames);
      endWrite(announced);
    }
  }

  @Override
  public boolean compareAndSet(long index, long expected, long value) {
    requireAtomics();
    long offset = checked(index) << 3;
    Slot announced = beginWrite(offset);
    try {
      return ELEMENT.compareAndSet(MEMORY, base + offset, expected, value);
    } finally {
      Reference.reachabilityFence(frames);
      endWrite(announced);
    }
  }

  @Override
  public void read(long index, long[] to, int at, int count) {
    java.util.Objects.checkFromIndexSize(at, count, to.length);
    if (holdRange(index, count, Rights.READ)) {
      try {
        MemorySegment.copy(frames, ValueLayout.JAVA_LONG, start + (checked(index) << 3), to, at, count);
      } finally {
        letGo();
      }
    }
  }

  @Override
  public void write(long index, long[] from, int at, int count) {
    java.util.Objects.checkFromIndexSize(at, count, from.length);
    if (holdRange(index, count, Rights.WRITE)) {
      try {
        MemorySegment.copy(from, at, frames, ValueLayout.JAVA_LONG, start + (checked(index) << 3), count);
      } finally {
        letGo();
      }
    }
  }
}
