package dev.weft.dsm.local;

import dev.weft.dsm.SharedBytes;
import dev.weft.dsm.SharingUnit;
import java.util.concurrent.locks.StampedLock;

/** An array of bytes in this JVM's memory. */
final class LocalBytes extends LocalArray implements SharedBytes {
  private final byte[] elements;

  LocalBytes(String name, int length, SharingUnit unit, boolean oneThread) {
    this(name, new byte[length], unit, oneThread);
  }

  private LocalBytes(String name, byte[] elements, SharingUnit unit, boolean oneThread) {
    super(name, elements.length, elements, Byte.BYTES, unit, oneThread);
    this.elements = elements;
  }

  @Override
  public byte get(long index) {
    int i = at(index);
    StampedLock lock = lockOf(i);
    if (lock == null) {
      return elements[i];
    }
    long stamp = lock.tryOptimisticRead();
    byte value = elements[i];
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
  public void set(long index, byte value) {
    int i = at(index);
    long stamp = lockToWrite(i);
    elements[i] = value;
    unlockWrite(i, stamp);
  }

  @Override
  public void read(long index, byte[] to, int at, int count) {
    copyOut(index, to, to.length, at, count);
  }

  @Override
  public void write(long index, byte[] from, int at, int count) {
    copyIn(index, from, from.length, at, count);
  }
}
