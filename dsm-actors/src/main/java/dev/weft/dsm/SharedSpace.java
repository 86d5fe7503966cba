package dev.weft.dsm;

import java.lang.foreign.StructLayout;

/**
 * Memory that threads of several nodes share, as one of the nodes sees it. Whoever calls first makes an object of a name, all others get the same;
 * one that asks for it in another shape is refused. Any ordinary platform thread may call everything here, at any time; nobody needs to be
 * first. Calls that make or find objects take a message to the first node and back; views should be kept.
 *
 * <p>Errors common to all: {@link IllegalArgumentException} for a name of no or more than 64 bytes of UTF-8, or an object of that name and
 * another shape; {@link NodeLostException} where a lost node makes the call impossible; {@link IllegalStateException} after this node has left, or where
 * the thread is interrupted while it waits. What it has asked for is done all the same then: a barrier counts it, an array is freed.
 */
public interface SharedSpace extends AutoCloseable {
  /** Number of this node, from 0; never used again for another one. */
  int node();

  /**
   * An array of long words, all 0 at first.
   *
   * @param length elements, 1 or more
   * @throws SharedMemoryException if the shared memory does not hold it; nothing was changed
   */
  SharedLongs longs(String name, long length, SharingUnit unit);

  /** The same with this consistency; memory that keeps more than that may ignore it. */
  default SharedLongs longs(String name, long length, SharingUnit unit, Consistency consistency) {
    return longs(name, length, unit);
  }

  /** An array of doubles, as {@link #longs}. */
  SharedDoubles doubles(String name, long length, SharingUnit unit);

  /** The same with this consistency; memory that keeps more than that may ignore it. */
  default SharedDoubles doubles(String name, long length, SharingUnit unit, Consistency consistency) {
    return doubles(name, length, unit);
  }

  /** An array of ints, as {@link #longs}. */
  SharedInts ints(String name, long length, SharingUnit unit);

  /** The same with this consistency; memory that keeps more than that may ignore it. */
  default SharedInts ints(String name, long length, SharingUnit unit, Consistency consistency) {
    return ints(name, length, unit);
  }

  /** An array of bytes, as {@link #longs}. */
  SharedBytes bytes(String name, long length, SharingUnit unit);

  /** The same with this consistency; memory that keeps more than that may ignore it. */
  default SharedBytes bytes(String name, long length, SharingUnit unit, Consistency consistency) {
    return bytes(name, length, unit);
  }

  /**
   * An array of records, all 0 at first.
   *
   * @param length records, 1 or more
   * @param layout of a record: a multiple of 8 bytes; fields of 4 and 8 bytes, in the byte order of the machine, can be accessed by themselves
   * @param unit with {@link SharingUnit#elements}, in records
   * @throws SharedMemoryException if the shared memory does not hold it; nothing was changed
   */
  default SharedRecords records(String name, long length, StructLayout layout, SharingUnit unit) {
    return records(name, length, layout, unit, Consistency.SEQUENTIAL);
  }

  /** The same with this consistency; memory that keeps more than that may ignore it. */
  default SharedRecords records(String name, long length, StructLayout layout, SharingUnit unit, Consistency consistency) {
    return SharedRecords.in(this, name, length, layout, unit, consistency);
  }

  /**
   * Waits until all nodes have what threads of this node have written into arrays with {@link Consistency#RELEASE}. Locks and barriers do that by
   * themselves.
   */
  default void release() {}

  /** Gives an array back. Whoever uses it afterwards gets an IllegalStateException with its name, which may be used again. */
  void free(String name);

  /** A lock. */
  DsmLock lock(String name);

  /**
   * A barrier.
   *
   * @param parties threads that meet, of all nodes together, 1 to 65,536
   */
  DsmBarrier barrier(String name, int parties);

  /** A condition variable of that lock. */
  DsmCondition condition(String name, DsmLock lock);

  /**
   * Leaves: what only this node has goes to others first. Threads of this node that still wait get an IllegalStateException. Locks that they have go to
   * others, who are told {@link DsmLock.Acquired#HOLDER_LOST}; what they wrote under them others have. Idempotent.
   */
  @Override
  void close();
}
