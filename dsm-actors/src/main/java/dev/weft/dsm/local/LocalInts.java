package dev.weft.dsm.local;

import dev.weft.dsm.SharedInts;
import dev.weft.dsm.SharingUnit;
import java.util.concurrent.locks.StampedLock;

/** An array of ints in this JVM's memory. */
final class LocalInts extends LocalArray implements SharedInts {
  private final int[] elements;

  LocalInts(String name, int length, SharingUnit unit, boolean oneThread) {
    this(name, new int[length], unit, oneThread);
  }

  private LocalInts(String name, int[] elements, SharingUnit unit, boolean oneThread) {
    super(name, elements.length, elements, Integer.BYTES, unit, oneThread);
    this.elements = elements;
  }

  @Override
  public int get(long index) {
    int i = at(index);
    StampedLock lock = lockOf(i);
    if (lock == null) {
      return elements[i];
    }
    long stamp = lock.tryOptimisticRead();
    int value = elements[i];
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
  public void set(long index, int value) {
    int i = at(index);
    long stamp = lockToWrite(i);
    elements[i] = value;
    unlockWrite(i, stamp);
  }

  @Override
  public int getAndAdd(long index, int delta) {
    int i = at(index);
    long stamp = lockToWrite(i);
    int before = elements[i];
    elements[i] = before + delta;
    unlockWrite(i, stamp);
    return before;
  }

  @Override
  public boolean compareAndSet(long index, int expected, int value) {
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
  public void read(long index, int[] to, int at, int count) {
    copyOut(index, to, to.length, at, count);
  }

  @Override
  public void write(long index, int[] from, int at, int count) {
    copyIn(index, from, from.length, at, count);
  }
}
