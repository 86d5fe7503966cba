package dev.weft.lab.trials.dsm.local;

import dev.weft.dsm.SharedBytes;
import dev.weft.dsm.SharingUnit;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.StampedLock;

/** An array of bytes in this JVM's memory. */
final class LocalBytes extends LocalArray implements SharedBytes {
  private static final VarHandle ELEMENT = ValueLayout.JAVA_BYTE.varHandle();

  LocalBytes(String name, int length, SharingUnit unit, boolean oneThread) {
    super(name, length, ValueLayout.JAVA_BYTE, unit, oneThread);
  }

  private byte load(int index) {
    return (byte) ELEMENT.get(elements, (long) index);
  }

  private void store(int index, byte value) {
    ELEMENT.set(elements, (long) index, value);
  }

  @Override
  public byte get(long index) {
    int i = at(index);
    StampedLock lock = lockOf(i);
    if (lock == null) {
      return load(i);
    }
    long stamp = lock.tryOptimisticRead();
    byte value = load(i);
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
  public void set(long index, byte value) {
    int i = at(index);
    long stamp = lockToWrite(i);
    store(i, value);
    unlockWrite(i, stamp);
  }

  @Override
  public void read(long index, byte[] to, int at, int count) {
    copyOut(index, MemorySegment.ofArray(to), at, count);
  }

  @Override
  public void write(long index, byte[] from, int at, int count) {
    copyIn(index, MemorySegment.ofArray(from), at, count);
  }
}
