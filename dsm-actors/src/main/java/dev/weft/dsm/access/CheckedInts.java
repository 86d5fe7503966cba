package dev.weft.dsm.access;

import dev.weft.dsm.SharedInts;
import dev.weft.dsm.access.Announcements.Slot;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.lang.ref.Reference;

/** An array of ints; each access checks the page table first. */
public final class CheckedInts extends CheckedArray implements SharedInts {
  private static final VarHandle ELEMENT = ValueLayout.JAVA_INT.varHandle();

  public CheckedInts(PageTable table, MemorySegment frames, Announcements announcements, Faulting faulting) {
    super(table, frames, announcements, faulting);
  }

  @Override
  public int get(long index) {
    long offset = checked(index) << 2;
    int page = pageOf(offset);
    if (mayRead(page)) {
      try {
        return (int) ELEMENT.getOpaque(MEMORY, base + offset);
      } finally {
        Reference.reachabilityFence(frames);
      }
    }
    hold(offset, offset, Rights.READ);
    try {
      return (int) ELEMENT.getVolatile(MEMORY, base + offset);
    } finally {
      Reference.reachabilityFence(frames);
      letGo();
    }
  }

  @Override
  public void set(long index, int value) {
    long offset = checked(index) << 2;
    Slot announced = beginWrite(offset);
    try {
      ELEMENT.setVolatile(MEMORY, base + offset, value);
    } finally {
      Reference.reachabilityFence(frames);
      endWrite(announced);
    }
  }

  @Override
  public int getAndAdd(long index, int delta) {
    requireAtomics();
    long offset = checked(index) << 2;
    Slot announced = beginWrite(offset);
    try {
      return (int) ELEMENT.getAndAdd(MEMORY, base + offset, delta);
    } finally {
      Reference.reachabilityFence(frames);
      endWrite(announced);
    }
  }

  @Override
  public boolean compareAndSet(long index, int expected, int value) {
    requireAtomics();
    long offset = checked(index) << 2;
    Slot announced = beginWrite(offset);
    try {
      return ELEMENT.compareAndSet(MEMORY, base + offset, expected, value);
    } finally {
      Reference.reachabilityFence(frames);
      endWrite(announced);
    }
  }

  @Override
  public void read(long index, int[] to, int at, int count) {
    java.util.Objects.checkFromIndexSize(at, count, to.length);
    if (holdRange(index, count, Rights.READ)) {
      try {
        MemorySegment.copy(frames, ValueLayout.JAVA_INT, start + (checked(index) << 2), to, at, count);
      } finally {
        letGo();
      }
    }
  }

  @Override
  public void write(long index, int[] from, int at, int count) {
    java.util.Objects.checkFromIndexSize(at, count, from.length);
    if (holdRange(index, count, Rights.WRITE)) {
      try {
        MemorySegment.copy(from, at, frames, ValueLayout.JAVA_INT, start + (checked(index) << 2), count);
      } finally {
        letGo();
      }
    }
  }
}
