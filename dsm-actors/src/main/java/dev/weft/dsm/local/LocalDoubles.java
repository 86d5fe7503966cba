package dev.weft.dsm.local;

import dev.weft.dsm.SharedDoubles;
import dev.weft.dsm.SharingUnit;
import java.util.concurrent.locks.StampedLock;

/** An array of doubles in this JVM's memory. */
final class LocalDoubles extends LocalArray implements SharedDoubles {
  private final double[] elements;

  LocalDoubles(String name, int length, SharingUnit unit, boolean oneThread) {
    this(name, new double[length], unit, oneThread);
  }

  private LocalDoubles(String name, double[] elements, SharingUnit unit, boolean oneThread) {
    super(name, elements.length, elements, Double.BYTES, unit, oneThread);
    this.elements = elements;
  }

  @Override
  public double get(long index) {
    int i = at(index);
    StampedLock lock = lockOf(i);
    if (lock == null) {
      return elements[i];
    }
    long stamp = lock.tryOptimisticRead();
    double value = elements[i];
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
  public void set(long index, double value) {
    int i = at(index);
    long stamp = lockToWrite(i);
    elements[i] = value;
    unlockWrite(i, stamp);
  }

  @Override
  public double getAndAdd(long index, double delta) {
    int i = at(index);
    long stamp = lockToWrite(i);
    double before = elements[i];
    elements[i] = before + delta;
    unlockWrite(i, stamp);
    return before;
  }

  @Override
  public void read(long index, double[] to, int at, int count) {
    copyOut(index, to, to.length, at, count);
  }

  @Override
  public void write(long index, double[] from, int at, int count) {
    copyIn(index, from, from.length, at, count);
  }
}
