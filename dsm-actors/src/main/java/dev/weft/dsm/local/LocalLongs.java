package dev.weft.dsm.local;

import dev.weft.dsm.SharedLongs;
import dev.weft.dsm.SharingUnit;
import java.util.concurrent.locks.StampedLock;

/** An array of longs in this JVM's memory. */
final class LocalLongs extends LocalArray implements SharedLongs {
  private final long[] elements;

  LocalLongs(String name, int length, SharingUnit unit, boolean oneThread) {
    this(name, new long[length], unit, oneThread);
  }

  private LocalLongs(String name, long[] elements, SharingUnit unit, boolean oneThread) {
    super(name, elements.length, elements, Long.BYTES, unit, oneThread);
    this.elements = elements;
  }

  @Override
  public long get(long index) {
    int i = at(index);
    StampedLock lock = lockOf(i);
    if (lock == null) {
      return elements[i];
    }
    long stamp = lock.tryOptimisticRead();
    long value = elements[i];
    if (lock.validate(stamp)) {
      return value;
    }
    stamp = lock.readLock();
    try {
      return elements[i];
    } finally {
      lock.unlockRead(stamp);
    }
  }

  @Override
  public void set(long index, long value) {
    int i = at(index);
    long stamp = lockToWrite(i);
    elements[i] = value;
    unlockWrite(i, stamp);
  }

  @Override
  public long getAndAdd(long index, long delta) {
    int i = at(index);
    long stamp = lockToWrite(i);
    long before = elements[i];
    elements[i] = before + delta;
    unlockWrite(i, stamp);
    return before;
  }

  @Override
  public boolean compareAndSet(long index, long expected, long value) {
    int i = at(index);
    long stamp = lockToWrite(i);
    boolean same = elements[i] == expected;
    if (same) {
      elements[i] = value;
    }
    unlockWrite(i, stamp);
    return same;
  }

  @Override
  public void read(long index, long[] to, int at, int count) {
    copyOut(index, to, to.length, at, count);
  }

  @Override
  public void write(long index, long[] from, int at, int count) {
    copyIn(index, from, from.length, at, count);
  }
}
