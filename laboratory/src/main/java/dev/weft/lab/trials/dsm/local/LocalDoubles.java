package dev.weft.lab.trials.dsm.local;

import dev.weft.dsm.SharedDoubles;
import dev.weft.dsm.SharingUnit;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.StampedLock;

/** An array of doubles in this JVM's memory. */
final class LocalDoubles extends LocalArray implements SharedDoubles {
  private static final VarHandle ELEMENT = ValueLayout.JAVA_DOUBLE.varHandle();

  LocalDoubles(String name, int length, SharingUnit unit, boolean oneThread) {
    super(name, length, ValueLayout.JAVA_DOUBLE, unit, oneThread);
  }

  private double load(int index) {
    return (double) ELEMENT.get(elements, (long) index << 3);
  }

  private void store(int index, double value) {
    ELEMENT.set(elements, (long) index << 3, value);
  }

  @Override
  public double get(long index) {
    int i = at(index);
    StampedLock lock = lockOf(i);
    if (lock == null) {
      return load(i);
    }
    long stamp = lock.tryOptimisticRead();
    double value = load(i);
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
  public void set(long index, double value) {
    int i = at(index);
    long stamp = lockToWrite(i);
    store(i, value);
    unlockWrite(i, stamp);
  }

  @Override
  public double getAndAdd(long index, double delta) {
    int i = at(index);
    long stamp = lockToWrite(i);
    double before = load(i);
    store(i, before + delta);
    unlockWrite(i, stamp);
    return before;
  }

  @Override
  public void read(long index, double[] to, int at, int count) {
    copyOut(index, MemorySegment.ofArray(to), at, count);
  }

  @Override
  public void write(long index, double[] from, int at, int count) {
    copyIn(index, MemorySegment.ofArray(from), at, count);
  }
}
