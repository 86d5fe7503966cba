package dev.weft.hca.transport;

import dev.weft.fabric.packet.Packet;
import dev.weft.hca.memory.Mr;

/**
 * The reads and atomics that a responder has accepted but not answered, in the order of their requests. After {@link #start} it allocates nothing,
 * except in {@link #resize}. Hardware thread.
 */
final class RcAnswers {
  /** Length of a job that must be rejected. */
  static final int REFUSED = -1;

  /** A read or atomic that must be answered. */
  static final class Job {
    boolean atomic;
    /** Whether it answers a FLUSH or ATOMIC_WRITE, without reading data. */
    boolean placement;
    /** An atomic whose page was absent when it arrived; null once it was executed. */
    Packet deferred;
    /** Whether the request is a duplicate. */
    boolean repeat;
    /** Whether the peer has repeated the request, perhaps because the memory to read has lost its pages. */
    boolean suspect;
    int psn;
    int packets;
    int sent;
    Mr mr;
    long addr;
    long length;
    long result;
  }

  /** Room for the reads and atomics that the peer may have outstanding, and for the same number of duplicates. */
  private Job[] jobs = new Job[0];
  private int head;
  private int count;
  /** The number of jobs for duplicates. */
  private int repeatCount;

  void start(int max) {
    jobs = new Job[2 * max];
    for (int i = 0; i < jobs.length; i++) {
      jobs[i] = new Job();
    }
    head = 0;
    clear();
  }

  /** Changes the limit; keeps the queued jobs, of which there must be at most {@code max}. */
  void resize(int max) {
    Job[] oldJobs = jobs;
    int oldHead = head;
    int oldCount = count;
    int oldRepeats = repeatCount;
    start(max);
    for (count = 0; count < oldCount; count++) {
      jobs[count] = oldJobs[(oldHead + count) % oldJobs.length];
    }
    repeatCount = oldRepeats;
  }

  void clear() {
    count = 0;
    repeatCount = 0;
  }

  int count() {
    return count;
  }

  /** The number of reads and atomics that the peer may have outstanding. */
  int newMax() {
    return jobs.length / 2;
  }

  boolean isEmpty() {
    return count == 0;
  }

  Job head() {
    return jobs[head];
  }

  Job last() {
    return jobs[(head + count - 1) % jobs.length];
  }

  /** Adds a job with one unsent packet and returns it; the caller fills in the rest. */
  Job add(int psn, boolean repeat) {
    Job job = jobs[(head + count++) % jobs.length];
    job.psn = psn;
    job.repeat = repeat;
    repeatCount += repeat ? 1 : 0;
    job.sent = 0;
    job.deferred = null;
    job.packets = 1;
    return job;
  }

  /** Removes the oldest job, which is answered. */
  void drop() {
    repeatCount -= jobs[head].repeat ? 1 : 0;
    head = (head + 1) % jobs.length;
    count--;
  }

  /** Whether the peer is below its limit of outstanding reads and atomics. Duplicates have separate room. */
  boolean mayQueueNew() {
    return count - repeatCount < newMax();
  }

  boolean mayQueueRepeat(int psn) {
    return repeatCount < newMax() && !isQueued(psn);
  }

  private boolean isQueued(int psn) {
    for (int i = 0; i < count; i++) {
      Job job = jobs[(head + i) % jobs.length];
      int index = Psn.diff(psn, job.psn);
      if (index >= 0 && index < job.packets) {
        return true;
      }
    }
    return false;
  }
}
