package dev.weft.dsm.access;

import dev.weft.dsm.SharedBytes;
import dev.weft.dsm.access.Announcements.Slot;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.lang.ref.Reference;

/** An array of bytes; each access checks the page table first. */
public final class CheckedBytes extends CheckedArray implements SharedBytes {
  private static final VarHandle ELEMENT = ValueLayout.JAVA_BYTE.varHandle();

  public CheckedBytes(PageTable table, MemorySegment frames, Announcements announcements, Faulting faulting) {
    super(table, frames, announcements, faulting);
  }

  @Override
  public byte get(long index) {
    long offset = checked(index);
    int page = pageOf(offset);
    if (mayRead(page)) {
      try {
        return (byte) ELEMENT.getOpaque(MEMORY, base + offset);
      } finally {
        Reference.reachabilityFence(frames);
      }
    }
    hold(offset, offset, Rights.READ);
    try {
      return (byte) ELEMENT.getVolatile(MEMORY, base + offset);
    } finally {
      Reference.reachabilityFence(frames);
      letGo();
    }
  }

  @Override
  public void set(long index, byte value) {
    long offset = checked(index);
    Slot announced = beginWrite(offset);
    try {
      ELEMENT.setVolatile(MEMORY, base + offset, value);
    } finally {
      Reference.reachabilityFence(frames);
      endWrite(announced);
    }
  }

  @Override
  public void read(long index, byte[] to, int at, int count) {
    java.util.Objects.checkFromIndexSize(at, count, to.length);
    if (holdRange(index, count, Rights.READ)) {
      try {
        MemorySegment.copy(frames, ValueLayout.JAVA_BYTE, start + checked(index), to, at, count);
      } finally {
        letGo();
      }
    }
  }

  @Override
  public void write(long index, byte[] from, int at, int count) {
    java.util.Objects.checkFromIndexSize(at, count, from.length);
    if (holdRange(index, count, Rights.WRITE)) {
      try {
        MemorySegment.copy(from, at, frames, ValueLayout.JAVA_BYTE, start + checked(index), count);
      } finally {
        letGo();
      }
    }
  }
}
