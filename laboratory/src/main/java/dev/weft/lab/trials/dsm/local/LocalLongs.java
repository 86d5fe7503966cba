package dev.weft.lab.trials.dsm.local;

import dev.weft.dsm.SharedLongs;
import dev.weft.dsm.SharingUnit;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.StampedLock;

/** An array of longs in this JVM's memory. */
final class LocalLongs extends LocalArray implements SharedLongs {
  private static final VarHandle ELEMENT = ValueLayout.JAVA_LONG.varHandle();

  LocalLongs(String name, int length, SharingUnit unit, boolean oneThread) {
    super(name, length, ValueLayout.JAVA_LONG, unit, oneThread);
  }

  private long load(int index) {
    return (long) ELEMENT.get(elements, (long) index << 3);
  }

  private void store(int index, long value) {
    ELEMENT.set(elements, (long) index << 3, value);
  }

  @Override
  public long get(long index) {
    int i = at(index);
    StampedLock lock = lockOf(i);
    if (lock == null) {
      return load(i);
    }
    long stamp = lock.tryOptimisticRead();
    long value = load(i);
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
  public void set(long index, long value) {
    int i = at(index);
    long stamp = lockToWrite(i);
    store(i, value);
    unlockWrite(i, stamp);
  }

  @Override
  public long getAndAdd(long index, long delta) {
    int i = at(index);
    long stamp = lockToWrite(i);
    long before = load(i);
    store(i, before + delta);
    unlockWrite(i, stamp);
    return before;
  }

  @Override
  public boolean compareAndSet(long index, long expected, long value) {
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
  public void read(long index, long[] to, int at, int count) {
    copyOut(index, MemorySegment.ofArray(to), at, count);
  }

  @Override
  public void write(long index, long[] from, int at, int count) {
    copyIn(index, MemorySegment.ofArray(from), at, count);
  }
}
