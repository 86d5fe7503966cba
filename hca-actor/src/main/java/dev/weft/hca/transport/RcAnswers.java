package dev.weft.hca.transport;

import dev.weft.fabric.packet.Packet;
import dev.weft.hca.memory.Mr;

/**
 * Reads and atomics that a responder has taken and not answered yet, in the order of their requests. Nothing is allocated after
 * {@link #start}. Hardware thread.
 */
final class RcAnswers {
  /** Length of a job that can only be refused. */
  static final int REFUSED = -1;

  /** A read or atomic to be answered. */
  static final class Job {
    boolean atomic;
    /** Answers a FLUSH or ATOMIC_WRITE: nothing is read. */
    boolean placement;
    /** An atomic whose page was absent when it came; null when it was executed. */
    Packet deferred;
    /** The request had arrived before. */
    boolean repeat;
    /** Its answer was asked for again, perhaps because the memory that is read has no pages any more. */
    boolean suspect;
    int psn;
    int packets;
    int sent;
    Mr mr;
    long addr;
    long length;
    long result;
  }

  /** Room for as many reads and atomics as the peer may have outstanding, and for as many repeated ones. */
  private Job[] jobs = new Job[0];
  private int head;
  private int count;
  /** How many of them answer a request that arrived again. */
  private int repeatCount;

  void start(int max) {
    jobs = new Job[2 * max];
    for (int i = 0; i < jobs.length; i++) {
      jobs[i] = new Job();
    }
    head = 0;
    clear();
  }

  /** What is queued stays; there are at most {@code max} of them. */
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

  /** How many the peer may have outstanding. */
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

  /** One more, of one packet that was not sent, to be filled in. */
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

  /** The oldest is answered. */
  void drop() {
    repeatCount -= jobs[head].repeat ? 1 : 0;
    head = (head + 1) % jobs.length;
    count--;
  }

  /** Whether the peer keeps to the number of reads and atomics it may have outstanding. Repeated ones have room of their own. */
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
