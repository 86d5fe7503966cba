package dev.weft.dsm.local;

import dev.weft.dsm.SharingUnit;
import java.util.Objects;
import java.util.concurrent.locks.StampedLock;

/** What the arrays of all types have in common: bounds, minipages and their locks. Where only one thread is, there are no locks. */
abstract class LocalArray {
  /** Minipages beyond that many share locks: more would cost memory, and threads are far fewer. A power of two. */
  private static final int LOCKS_MAX = 256;

  private final String name;
  private final int length;
  private final Object elements;
  private final int stride;
  private final StampedLock[] locks;
  private volatile boolean gone;

  /**
   * @param elements an array of a primitive type
   * @param oneThread whether all calls come from one thread, which then needs no locks
   */
  LocalArray(String name, int length, Object elements, int elementBytes, SharingUnit unit, boolean oneThread) {
    this.name = name;
    this.length = length;
    this.elements = elements;
    this.stride = (int) Math.min(length, Math.max(1, unit.strideBytes(length, elementBytes) / elementBytes));
    this.locks = oneThread ? null : locks((length + stride - 1) / stride);
  }

  private static StampedLock[] locks(int minipages) {
    int count = Math.min(LOCKS_MAX, Integer.highestOneBit(minipages));
    StampedLock[] locks = new StampedLock[count];
    for (int i = 0; i < count; i++) {
      locks[i] = new StampedLock();
    }
    return locks;
  }

  public long length() {
    return length;
  }

  public void prefetch(long index, long count) {
    checkAll(index, count);
  }

  public void push(long index, long count) {
    checkAll(index, count);
  }

  /** Whoever uses the array from now on is told that it was freed. */
  void leave() {
    gone = true;
  }

  /** The index as an int, if there is such an element. */
  final int at(long index) {
    checkThere();
    return (int) Objects.checkIndex(index, length);
  }

  /** The lock of that element's minipage; null where only one thread is. */
  final StampedLock lockOf(int index) {
    return locks == null ? null : locks[index / stride & locks.length - 1];
  }

  /** Stamp of the write lock of that element's minipage; 0 where only one thread is. */
  final long lockToWrite(int index) {
    return locks == null ? 0 : lockOf(index).writeLock();
  }

  final void unlockWrite(int index, long stamp) {
    if (locks != null) {
      lockOf(index).unlockWrite(stamp);
    }
  }

  final void copyOut(long index, Object to, int toLength, int at, int count) {
    int first = checkBoth(index, toLength, at, count);
    for (int done = 0; done < count; ) {
      int from = first + done;
      int some = inMinipage(from, count - done);
      StampedLock lock = lockOf(from);
      long stamp = lock == null ? 0 : lock.readLock();
      System.arraycopy(elements, from, to, at + done, some);
      if (lock != null) {
        lock.unlockRead(stamp);
      }
      done += some;
    }
  }

  final void copyIn(long index, Object from, int fromLength, int at, int count) {
    int first = checkBoth(index, fromLength, at, count);
    for (int done = 0; done < count; ) {
      int to = first + done;
      int some = inMinipage(to, count - done);
      long stamp = lockToWrite(to);
      System.arraycopy(from, at + done, elements, to, some);
      unlockWrite(to, stamp);
      done += some;
    }
  }

  private int inMinipage(int index, int countMax) {
    return locks == null ? countMax : Math.min(countMax, stride - index % stride);
  }

  private int checkBoth(long index, int otherLength, int at, int count) {
    Objects.checkFromIndexSize(at, count, otherLength);
    checkAll(index, count);
    return (int) index;
  }

  private void checkAll(long index, long count) {
    checkThere();
    Objects.checkFromIndexSize(index, count, (long) length);
  }

  private void checkThere() {
    if (gone) {
      throw new IllegalStateException("array " + name + " was freed, or its space closed");
    }
  }
}
