package dev.weft.lab.trials.dsm.local;

import dev.weft.dsm.SharedInts;
import dev.weft.dsm.SharingUnit;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.StampedLock;

/** An array of ints in this JVM's memory. */
final class LocalInts extends LocalArray implements SharedInts {
  private static final VarHandle ELEMENT = ValueLayout.JAVA_INT.varHandle();

  LocalInts(String name, int length, SharingUnit unit, boolean oneThread) {
    super(name, length, ValueLayout.JAVA_INT, unit, oneThread);
  }

  private int load(int index) {
    return (int) ELEMENT.get(elements, (long) index << 2);
  }

  private void store(int index, int value) {
    ELEMENT.set(elements, (long) index << 2, value);
  }

  @Override
  public int get(long index) {
    int i = at(index);
    StampedLock lock = lockOf(i);
    if (lock == null) {
      return load(i);
    }
    long stamp = lock.tryOptimisticRead();
    int value = load(i);
    if (lock.validate(stamp)) {
      return value;
    }
    stamp = lockToRead(lock);
    try {
      return load(i);
    } finally {
      lock.unlockRead(stamp);
    }
  }

  @Override
  public void set(long index, int value) {
    int i = at(index);
    long stamp = lockToWrite(i);
    store(i, value);
    unlockWrite(i, stamp);
  }

  @Override
  public int getAndAdd(long index, int delta) {
    int i = at(index);
    long stamp = lockToWrite(i);
    int before = load(i);
    store(i, before + delta);
    unlockWrite(i, stamp);
    return before;
  }

  @Override
  public boolean compareAndSet(long index, int expected, int value) {
    int i = at(index);
    long stamp = lockToWrite(i);
    boolean same = load(i) == expected;
    if (same) {
      store(i, value);
    }
    unlockWrite(i, stamp);
    return same;
  }

  @Override
  public void read(long index, int[] to, int at, int count) {
    copyOut(index, MemorySegment.ofArray(to), at, count);
  }

  @Override
  public void write(long index, int[] from, int at, int count) {
    copyIn(index, MemorySegment.ofArray(from), at, count);
  }
}
