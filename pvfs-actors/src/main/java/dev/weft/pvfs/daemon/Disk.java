package dev.weft.pvfs.daemon;

import java.lang.foreign.MemorySegment;
import java.util.function.LongSupplier;

/**
 * Files of local objects, two of each: its data, and what is written down of it. All that fails throws {@link DiskException}. What is written may be lost, or
 * written in part, in a crash of the machine until it was synced. Each object's files are used by one thread.
 */
public interface Disk {
  /** The files of an object. */
  enum Kind {
    DATA,
    SUMS
  }

  /** Takes the number of an object, and what tells its length, within the call. */
  interface Visitor {
    void visit(long object, LongSupplier bytes);
  }

  /** One file. */
  interface File {
    long bytes();

    /** Bytes that were read, fewer than {@code to} holds only at the end of the file. */
    int read(long at, MemorySegment to);

    void write(long at, MemorySegment from);

    void truncate(long bytes);

    /** Makes a range zeros and gives back what it took, if the disk can; the length stays. The range is inside of the file. */
    void punch(long at, long bytes);

    /** Where from there on data may be, or the end of the file. */
    long nextData(long at);

    /** What was written is on the disk, and what is needed to find it there. */
    void sync();

    void close();
  }

  /** Null if it is not there, and was not to be made. */
  File open(long object, Kind kind, boolean makes);

  /** False if there was none. */
  boolean remove(long object, Kind kind);

  /** That the files of an object are there is on the disk. */
  void syncName(long object);

  /** Another number when the machine has started again: what was written before and not synced may be lost then. */
  long boot();

  /** All that was written, by earlier users, too, is on the disk. */
  void syncAll();

  /** Shows the objects with greater numbers, in no order. */
  void list(long after, Visitor visitor);

  long freeBytes();

  long totalBytes();

  /** Which disk it is among those of all daemons: the same number for daemons whose room is the same; 0 for one that nobody shares. */
  default int number() {
    return 0;
  }

  /** In virtual time: how long takes what was done since the last call, in nanoseconds. In real time it has taken the time it takes. */
  default long tookNs() {
    return 0;
  }
}
