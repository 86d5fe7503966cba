package dev.weft.lab.trials.dsm.local;

import dev.weft.dsm.SharingUnit;
import dev.weft.dsm.access.InPlace;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.ref.Reference;
import java.util.Objects;
import java.util.concurrent.locks.StampedLock;
import java.util.function.Consumer;

/** The common part of arrays of all types: bounds, minipages and their locks. An array for one thread has no locks. */
abstract class LocalArray {
  /** Minipages beyond this number share locks: more locks would cost memory, and there are far fewer threads. A power of two. */
  private static final int LOCKS_MAX = 256;

  private static final int CACHE_LINE = 64;
  private static final long[] NONE = {};

  private final String name;
  private final int length;
  private final Arena memory;
  /** Off-heap, as shared memory is: code that accesses both kinds of segments is slow. */
  final MemorySegment elements;
  private final int elementBytes;
  private final int stride;
  private final StampedLock[] locks;
  private volatile boolean gone;

  /**
   * @param oneThread whether all calls come from one thread, which then needs no locks
   */
  LocalArray(String name, int length, ValueLayout element, SharingUnit unit, boolean oneThread) {
    this.name = name;
    this.length = length;
    this.elementBytes = (int) element.byteSize();
    this.memory = oneThread ? Arena.ofConfined() : Arena.ofAuto();
    this.elements = memory.allocate((long) length * elementBytes, CACHE_LINE);
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

  /** Marks the array as freed: later accesses throw. */
  void leave() {
    InPlace.mine().requireOutside();
    if (locks == null && !gone) {
      memory.close();
    }
    gone = true;
  }

  /** Returns the index as an int, after checking that the element exists. */
  final int at(long index) {
    checkThere();
    return (int) Objects.checkIndex(index, length);
  }

  /** The lock of the element's minipage; null in an array for one thread. */
  final StampedLock lockOf(int index) {
    return locks == null ? null : locks[index / stride & locks.length - 1];
  }

  /** Stamp of the write lock of the element's minipage; 0 in an array for one thread. */
  final long lockToWrite(int index) {
    if (locks == null) {
      return 0;
    }
    InPlace.mine().requireOutside();
    return lockOf(index).writeLock();
  }

  /** Stamp of the read lock of an element's minipage, which is not null. */
  static long lockToRead(StampedLock lock) {
    InPlace.mine().requireOutside();
    return lock.readLock();
  }

  final void unlockWrite(int index, long stamp) {
    if (locks != null) {
      lockOf(index).unlockWrite(stamp);
    }
  }

  /** {@code to} is an array of elements. */
  final void copyOut(long index, MemorySegment to, int at, int count) {
    int first = checkBoth(index, to, at, count);
    for (int done = 0; done < count; ) {
      int from = first + done;
      int some = inMinipage(from, count - done);
      StampedLock lock = lockOf(from);
      long stamp = lock == null ? 0 : lockToRead(lock);
      MemorySegment.copy(elements, bytes(from), to, bytes(at + done), bytes(some));
      if (lock != null) {
        lock.unlockRead(stamp);
      }
      done += some;
    }
  }

  /** {@code from} is an array of elements. */
  final void copyIn(long index, MemorySegment from, int at, int count) {
    int first = checkBoth(index, from, at, count);
    for (int done = 0; done < count; ) {
      int to = first + done;
      int some = inMinipage(to, count - done);
      long stamp = lockToWrite(to);
      MemorySegment.copy(from, bytes(at + done), elements, bytes(to), bytes(some));
      unlockWrite(to, stamp);
      done += some;
    }
  }

  public void readInPlace(long index, long count, Consumer<? super MemorySegment> use) {
    inPlace(index, count, true, use);
  }

  public void writeInPlace(long index, long count, Consumer<? super MemorySegment> use) {
    inPlace(index, count, false, use);
  }

  private void inPlace(long index, long count, boolean isReadOnly, Consumer<? super MemorySegment> use) {
    Objects.requireNonNull(use, "use");
    checkAll(index, count);
    if (count == 0) {
      return;
    }
    InPlace mine = InPlace.mine();
    mine.requireOutside();
    MemorySegment part = elements.asSlice(index * elementBytes, count * elementBytes);
    long[] stamps = lockAll((int) index / stride, (int) (index + count - 1) / stride, isReadOnly);
    try {
      mine.call(part, isReadOnly, use);
    } finally {
      Reference.reachabilityFence(this);
      for (int i = 0; i < stamps.length; i++) {
        if (stamps[i] != 0) {
          locks[i].unlock(stamps[i]);
        }
      }
    }
  }

  /** Stamps of the locks of all minipages from {@code first} to {@code last}, taken in the order of the locks; 0 for other locks. */
  private long[] lockAll(int first, int last, boolean isReadOnly) {
    if (locks == null) {
      return NONE;
    }
    long[] stamps = new long[locks.length];
    for (int i = 0; i < locks.length; i++) {
      if ((i - first & locks.length - 1) <= last - first) {
        stamps[i] = isReadOnly ? locks[i].readLock() : locks[i].writeLock();
      }
    }
    return stamps;
  }

  private int inMinipage(int index, int countMax) {
    return locks == null ? countMax : Math.min(countMax, stride - index % stride);
  }

  private long bytes(int count) {
    return (long) count * elementBytes;
  }

  private int checkBoth(long index, MemorySegment other, int at, int count) {
    Objects.checkFromIndexSize(at, count, other.byteSize() / elementBytes);
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
