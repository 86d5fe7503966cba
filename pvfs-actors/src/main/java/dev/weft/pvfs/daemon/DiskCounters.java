package dev.weft.pvfs.daemon;

import java.util.concurrent.atomic.AtomicLong;

/** Counters of file access managers, for the inspection. Any thread. */
final class DiskCounters {
  final AtomicLong objects = new AtomicLong();
  final AtomicLong freeBytes = new AtomicLong();
  final AtomicLong totalBytes = new AtomicLong();
  /** From the disk; whole blocks if they had to be checked. */
  final AtomicLong bytesRead = new AtomicLong();
  final AtomicLong bytesWritten = new AtomicLong();
  /** By a processor: ends of ranges that are not whole blocks. */
  final AtomicLong bytesCopied = new AtomicLong();
  final AtomicLong checksumErrors = new AtomicLong();
  final AtomicLong syncs = new AtomicLong();
  /** How often a write waited for marks of clean blocks that change. */
  final AtomicLong marks = new AtomicLong();
  final AtomicLong errors = new AtomicLong();
}
