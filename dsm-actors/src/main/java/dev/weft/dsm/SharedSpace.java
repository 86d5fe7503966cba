package dev.weft.dsm;

import java.lang.foreign.StructLayout;

/**
 * Memory that threads of several nodes share, as one node sees it. Any ordinary platform thread may call all methods at any time. The first call with
 * a name makes the object; later calls with that name, from any node, get the same object. A call that asks for another shape is refused. Calls that
 * make or find objects send a message to the first node and wait for the reply, so keep the views.
 *
 * <p>Common errors: {@link IllegalArgumentException} for an empty name, a name of more than 64 bytes of UTF-8, or an object of that name and another
 * shape; {@link NodeLostException} where a lost node makes the call impossible; {@link IllegalStateException} after this node has left, or if the
 * thread is interrupted while it waits. An interrupted request still takes effect: a barrier counts the thread, an array is freed.
 */
public interface SharedSpace extends AutoCloseable {
  /** Number of this node, from 0. The space never gives the number to another node. */
  int node();

  /**
   * An array of long words, all 0 at first.
   *
   * @param length elements, 1 or more
   * @throws SharedMemoryException if the shared memory does not hold it; nothing was changed
   */
  SharedLongs longs(String name, long length, SharingUnit unit);

  /** The same with this consistency; memory that guarantees more may ignore it. */
  default SharedLongs longs(String name, long length, SharingUnit unit, Consistency consistency) {
    return longs(name, length, unit);
  }

  /** An array of doubles, as {@link #longs}. */
  SharedDoubles doubles(String name, long length, SharingUnit unit);

  /** The same with this consistency; memory that guarantees more may ignore it. */
  default SharedDoubles doubles(String name, long length, SharingUnit unit, Consistency consistency) {
    return doubles(name, length, unit);
  }

  /** An array of ints, as {@link #longs}. */
  SharedInts ints(String name, long length, SharingUnit unit);

  /** The same with this consistency; memory that guarantees more may ignore it. */
  default SharedInts ints(String name, long length, SharingUnit unit, Consistency consistency) {
    return ints(name, length, unit);
  }

  /** An array of bytes, as {@link #longs}. */
  SharedBytes bytes(String name, long length, SharingUnit unit);

  /** The same with this consistency; memory that guarantees more may ignore it. */
  default SharedBytes bytes(String name, long length, SharingUnit unit, Consistency consistency) {
    return bytes(name, length, unit);
  }

  /**
   * An array of records, all 0 at first.
   *
   * @param length records, 1 or more
   * @param layout layout of a record, a multiple of 8 bytes; fields of 4 and 8 bytes in the machine's byte order can be accessed singly
   * @param unit counts records with {@link SharingUnit#elements}
   * @throws SharedMemoryException if the shared memory does not hold it; nothing was changed
   */
  default SharedRecords records(String name, long length, StructLayout layout, SharingUnit unit) {
    return records(name, length, layout, unit, Consistency.SEQUENTIAL);
  }

  /** The same with this consistency; memory that guarantees more may ignore it. */
  default SharedRecords records(String name, long length, StructLayout layout, SharingUnit unit, Consistency consistency) {
    return SharedRecords.in(this, name, length, layout, unit, consistency);
  }

  /**
   * Waits until all nodes have what threads of this node have written into arrays with {@link Consistency#RELEASE}. Locks and barriers release by
   * themselves.
   */
  default void release() {}

  /** Frees an array. Later accesses throw IllegalStateException with the array's name. The name may be used again. */
  void free(String name);

  /** A lock. */
  DsmLock lock(String name);

  /**
   * A barrier.
   *
   * @param parties number of threads that meet, of all nodes together, 1 to 65,536
   */
  DsmBarrier barrier(String name, int parties);

  /** A condition variable of {@code lock}. */
  DsmCondition condition(String name, DsmLock lock);

  /**
   * Leaves the space; idempotent. The node first passes minipages that only it has to other nodes. Its threads that still wait get an
   * IllegalStateException. Locks that its threads hold pass to other threads, whose acquire returns {@link DsmLock.Acquired#HOLDER_LOST}; what was
   * written under these locks is not lost.
   */
  @Override
  void close();
}
