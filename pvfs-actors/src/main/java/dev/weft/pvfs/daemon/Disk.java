package dev.weft.pvfs.daemon;

import java.lang.foreign.MemorySegment;
import java.util.function.LongSupplier;

/**
 * Files of local objects: each object has a file for its data and one for its checksums. Failures throw {@link DiskException}. A crash of the machine
 * may lose written data, or parts of it, until a sync. Each object's files are used by one thread.
 */
public interface Disk {
  /** The two files of an object. */
  enum Kind {
    DATA,
    SUMS
  }

  /** Receives the number of an object and a function for its length, valid within the call. */
  interface Visitor {
    void visit(long object, LongSupplier bytes);
  }

  /** One file. */
  interface File {
    long bytes();

    /** Returns the bytes read; fewer than {@code to} holds only at the end of the file. */
    int read(long at, MemorySegment to);

    void write(long at, MemorySegment from);

    void truncate(long bytes);

    /** Sets a range within the file to zeros and frees its space if the disk can; the length stays. */
    void punch(long at, long bytes);

    /** Returns where the next data may be, or the end of the file. */
    long nextData(long at);

    /** Writes the data to the disk, with the metadata needed to find it. */
    void sync();

    void close();
  }

  /** Returns null if the file does not exist and must not be created. */
  File open(long object, Kind kind, boolean makes);

  /** Returns false if there was none. */
  boolean remove(long object, Kind kind);

  /** Makes the existence of an object's files durable. */
  void syncName(long object);

  /** Returns a number that changes when the machine restarts: earlier data without a sync may then be lost. */
  long boot();

  /** Syncs everything that was written, also by earlier users. */
  void syncAll();

  /** Visits the objects with greater numbers, in no order. */
  void list(long after, Visitor visitor);

  long freeBytes();

  long totalBytes();

  /** Returns the number of the disk: equal for all daemons that share its space; 0 for a disk that no other daemon uses. */
  default int number() {
    return 0;
  }

  /** In virtual time: returns the nanoseconds for the work since the last call. In real time 0. */
  default long tookNs() {
    return 0;
  }
}
