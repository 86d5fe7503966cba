package dev.weft.lab.hosts;

import java.util.ArrayDeque;

/** A process of {@link CpuModel}: its work, the processor that it has, and its credit. */
final class CpuProcess {
  /** Work that costs time, and what happens when that is paid. */
  static final class Job {
    long leftNs;
    Runnable action;
    /** Whether the job runs before the ordinary work of its process. */
    boolean isSignal;

    Job(long leftNs, Runnable action) {
      this.leftNs = leftNs;
      this.action = action;
    }
  }

  final String name;
  final ArrayDeque<Job> jobs = new ArrayDeque<>();
  boolean spinning;
  boolean queued;
  CpuModel.Core core;
  CpuModel.Core lastCore;
  long creditNs;
  long sleepsSinceNs;

  CpuProcess(String name, long creditNs, long nowNs) {
    this.name = name;
    this.creditNs = creditNs;
    sleepsSinceNs = nowNs;
  }

  boolean wantsCpu() {
    return spinning || !jobs.isEmpty();
  }
}
