package dev.weft.fabric.host;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * The processors of a host and the scheduler of its operating system: who has a processor until when. Decides only; time is passed in,
 * {@link #nextDeadlineNs} says when it must be told again.
 *
 * <p>Rules (Kernel DSM paper, section 5: two processors under Linux 2.4):
 *
 * <ul>
 *   <li>Interrupts preempt everything on the interrupt processor but another interrupt; what task queues hold runs before any
 *       process gets that processor back, and is itself preempted by interrupts.
 *   <li>A process has credit, used up by running. When all that could run have none, each gets a time slice. One that sleeps saves
 *       as much as it slept, up to two slices. This stands for the kernel's counter and its recalculation.
 *   <li>A process that wakes takes an idle processor, the one it had last if it can; else it preempts the process with the least
 *       credit if its own exceeds that by more than a tick; else it waits in line.
 *   <li>A spinning process always wants a processor; a job given to it starts at once if it has one.
 * </ul>
 *
 * Actions of jobs are called when their cost is paid; they may call back into the model. Each queue holds {@link #QUEUE_MAX}.
 */
final class CpuModel {
  static final long NEVER = Long.MAX_VALUE;
  /** Jobs that one queue holds; far more than completion queues notify at a time. */
  static final int QUEUE_MAX = 1 << 16;

  private enum Activity { IDLE, PROCESS, SWITCH, INTERRUPT, SOFTIRQ }

  private static final class Job {
    private long leftNs;
    private Runnable action;
    /** It goes before what its process computes. */
    private boolean isSignal;

    Job(long leftNs, Runnable action) {
      this.leftNs = leftNs;
      this.action = action;
    }
  }

  private static final class Process {
    private final String name;
    private final ArrayDeque<Job> jobs = new ArrayDeque<>();
    private boolean spinning;
    private boolean queued;
    private Core core;
    private Core lastCore;
    private long creditNs;
    private long sleepsSinceNs;

    Process(String name, long creditNs, long nowNs) {
      this.name = name;
      this.creditNs = creditNs;
      sleepsSinceNs = nowNs;
    }

    boolean wantsCpu() {
      return spinning || !jobs.isEmpty();
    }
  }

  private static final class Core {
    private final ArrayDeque<Job> interrupts = new ArrayDeque<>();
    private final ArrayDeque<Job> softirqs = new ArrayDeque<>();
    private Activity activity = Activity.IDLE;
    private Process running;
    private Process loaded;
    private Job job;
    private long startNs;
    private long endNs = NEVER;
    private long switchLeftNs;
    private final long[] spentNs = new long[Activity.values().length];
  }

  private final CpuCosts costs;
  private final List<Core> cores = new ArrayList<>();
  private final List<Process> processes = new ArrayList<>();
  private final ArrayDeque<Process> runQueue = new ArrayDeque<>();
  private long nowNs;
  private Core acting;
  private long chargedNs;
  private long precedingNs; // Of these, before what the action does next.
  private long interrupts;
  private long softirqs;
  private long switches;
  private long preemptions;

  CpuModel(CpuCosts costs) {
    this.costs = costs;
    for (int i = 0; i < costs.cores(); i++) {
      cores.add(new Core());
    }
  }

  CpuCosts costs() {
    return costs;
  }

  /** When {@link #advance} must be called at the latest. */
  long nextDeadlineNs() {
    long next = NEVER;
    for (Core core : cores) {
      next = Math.min(next, core.endNs);
    }
    return next;
  }

  /** Does what is due up to and including {@code toNs}, in order of time, then of processors. */
  void advance(long toNs) {
    while (true) {
      Core due = null;
      for (Core core : cores) {
        if (core.endNs <= toNs && (due == null || core.endNs < due.endNs)) {
          due = core;
        }
      }
      if (due == null) {
        nowNs = Math.max(nowNs, toNs);
        return;
      }
      nowNs = due.endNs;
      finish(due);
    }
  }

  private void enter(long atNs) {
    if (acting == null) {
      advance(atNs);
    }
  }

  // What consumers ask for.

  /** Adds a process that sleeps; answers its number. */
  int addProcess(String name, long atNs) {
    enter(atNs);
    processes.add(new Process(name, costs.timeSliceNs(), nowNs));
    return processes.size() - 1;
  }

  /** An interrupt whose handler runs after {@code costNs} on the interrupt processor. */
  void interrupt(long costNs, Runnable action, long atNs) {
    enter(atNs);
    interrupts++;
    Core core = cores.get(costs.interruptCore());
    add(core.interrupts, costNs, action, "interrupts");
    if (core != acting && core.activity != Activity.INTERRUPT) {
      suspend(core);
      next(core);
    }
  }

  /** Work for the task queue of the processor whose handler calls, else of the interrupt processor. */
  void softirq(long costNs, Runnable action, long atNs) {
    enter(atNs);
    softirqs++;
    Core core = acting != null ? acting : cores.get(costs.interruptCore());
    add(core.softirqs, costNs, action, "soft interrupts");
    if (core != acting && core.activity != Activity.INTERRUPT && core.activity != Activity.SOFTIRQ) {
      suspend(core);
      next(core);
    }
  }

  /** Work for a process. */
  void submit(int process, long costNs, Runnable action, long atNs) {
    enter(atNs);
    Process p = processes.get(process);
    if (p.core != null) {
      settle(p.core); // What it spun until now is not work on this.
    }
    add(p.jobs, costNs, action, "jobs of process " + p.name);
    wantsMore(p);
  }

  /** The same, before what the process computes, and behind signals that came earlier. */
  void signal(int process, long costNs, Runnable action, long atNs) {
    enter(atNs);
    Process p = processes.get(process);
    if (p.core != null) {
      settle(p.core);
    }
    ArrayDeque<Job> signals = new ArrayDeque<>();
    while (!p.jobs.isEmpty() && p.jobs.peek().isSignal) {
      signals.add(p.jobs.poll());
    }
    add(signals, costNs, action, "signals of process " + p.name);
    signals.peekLast().isSignal = true;
    while (!signals.isEmpty()) {
      p.jobs.addFirst(signals.pollLast());
    }
    wantsMore(p);
  }

  /** Whether a process wants a processor also without work. */
  void spin(int process, boolean on, long atNs) {
    enter(atNs);
    Process p = processes.get(process);
    p.spinning = on;
    if (on) {
      wantsMore(p);
    } else if (!p.wantsCpu()) {
      giveUp(p);
    }
  }

  /** Adds to the cost of the action that is being called; what it sends leaves before that. */
  void charge(long ns) {
    if (acting == null) {
      throw new IllegalStateException("charge(" + ns + " ns) outside of a handler that runs on this host's processors; "
          + "give the work to a process with compute()");
    }
    chargedNs += ns;
  }

  /** The same; what it sends from now on leaves after that. */
  void chargeBefore(long ns) {
    charge(ns);
    precedingNs += ns;
  }

  long precedingNs() {
    return acting == null ? 0 : precedingNs;
  }

  /** Whether the action of a job is being called. */
  boolean isActing() {
    return acting != null;
  }

  CpuStats stats() {
    long[] spent = new long[Activity.values().length];
    for (Core core : cores) {
      for (int i = 0; i < spent.length; i++) {
        spent[i] += core.spentNs[i];
      }
      spent[core.activity.ordinal()] += nowNs - core.startNs;
    }
    return new CpuStats(costs.cores(), nowNs, spent[Activity.INTERRUPT.ordinal()], spent[Activity.SOFTIRQ.ordinal()],
        spent[Activity.PROCESS.ordinal()], spent[Activity.SWITCH.ordinal()], interrupts, softirqs, switches, preemptions,
        runQueue.size());
  }

  private static void add(ArrayDeque<Job> queue, long costNs, Runnable action, String what) {
    if (queue.size() >= QUEUE_MAX) {
      throw new IllegalStateException(what + ": " + QUEUE_MAX + " are waiting already; a consumer asks for more than it is given");
    }
    queue.add(new Job(costNs, action));
  }

  // Processes.

  private void wantsMore(Process p) {
    if (p.core != null) {
      if (p.core.activity == Activity.PROCESS && p.core != acting) {
        suspend(p.core);
        resume(p.core);
      }
    } else if (!p.queued) {
      wake(p);
    }
  }

  private void wake(Process p) {
    p.creditNs = Math.min(2 * costs.timeSliceNs(), p.creditNs + nowNs - p.sleepsSinceNs);
    enqueue(p);
    Core core = choose(p);
    if (core == null) {
      cores.forEach(this::limitToSlice);
    } else if (core.activity == Activity.IDLE) {
      next(core);
    } else if (core != acting && (core.activity == Activity.PROCESS || core.activity == Activity.SWITCH)) {
      suspend(core);
      next(core);
    }
  }

  /** The processor that a woken process gets now or when its interrupts are done; null if none. */
  private Core choose(Process p) {
    if (p.lastCore != null && p.lastCore.activity == Activity.IDLE) {
      return p.lastCore;
    }
    Core interrupted = null;
    Core weakest = null;
    for (Core core : cores) {
      if (core.activity == Activity.IDLE) {
        return core;
      }
      if (core.running == null) {
        interrupted = core;
        continue;
      }
      settle(core);
      if (weakest == null || core.running.creditNs < weakest.running.creditNs) {
        weakest = core;
      }
    }
    if (interrupted != null) {
      return interrupted;
    }
    return p.creditNs > weakest.running.creditNs + costs.tickNs() ? weakest : null;
  }

  private void limitToSlice(Core core) {
    if (core.activity == Activity.PROCESS && core != acting) {
      suspend(core);
      resume(core);
    }
  }

  private void giveUp(Process p) {
    if (p.queued) {
      runQueue.remove(p);
      p.queued = false;
      p.sleepsSinceNs = nowNs;
    } else if (p.core != null && p.core != acting && p.core.activity == Activity.PROCESS) {
      Core core = p.core;
      suspend(core);
      next(core);
    }
  }

  private void enqueue(Process p) {
    p.queued = true;
    runQueue.add(p);
  }

  // Processors.

  /** What a processor was doing is over: its cost is paid. */
  private void finish(Core core) {
    Activity was = core.activity;
    settle(core);
    switch (was) {
      case INTERRUPT, SOFTIRQ -> {
        Job tail = act(core, core.job);
        if (tail != null) {
          (was == Activity.INTERRUPT ? core.interrupts : core.softirqs).addFirst(tail);
        }
        core.job = null;
      }
      case PROCESS -> {
        ArrayDeque<Job> jobs = core.running.jobs;
        if (!jobs.isEmpty() && jobs.peek().leftNs == 0) {
          Job tail = act(core, jobs.poll());
          if (tail != null) {
            jobs.addFirst(tail);
          }
        }
      }
      case SWITCH -> core.switchLeftNs = 0;
      case IDLE -> throw new IllegalStateException("an idle processor has nothing to finish");
    }
    next(core);
  }

  /** Calls a job's action; answers what that charged in addition, or null. */
  private Job act(Core core, Job job) {
    if (job.action == null) {
      return null;
    }
    acting = core;
    chargedNs = 0;
    precedingNs = 0;
    try {
      job.action.run();
    } finally {
      acting = null;
    }
    if (chargedNs == 0) {
      return null;
    }
    Job tail = new Job(chargedNs, null);
    tail.isSignal = job.isSignal;
    return tail;
  }

  /** Accounts for the time since the activity started or was last settled. */
  private void settle(Core core) {
    long spentNs = nowNs - core.startNs;
    core.startNs = nowNs;
    core.spentNs[core.activity.ordinal()] += spentNs;
    switch (core.activity) {
      case PROCESS -> {
        core.running.creditNs = Math.max(0, core.running.creditNs - spentNs);
        Job job = core.running.jobs.peek();
        if (job != null) {
          job.leftNs = Math.max(0, job.leftNs - spentNs);
        }
      }
      case SWITCH -> core.switchLeftNs -= spentNs;
      case INTERRUPT, SOFTIRQ -> core.job.leftNs -= spentNs;
      case IDLE -> { }
    }
  }

  /** Stops what a processor does so that it can be decided again. */
  private void suspend(Core core) {
    settle(core);
    if (core.activity == Activity.SOFTIRQ) {
      core.softirqs.addFirst(core.job);
      core.job = null;
    }
    begin(core, Activity.IDLE, NEVER);
  }

  private void begin(Core core, Activity activity, long endNs) {
    core.activity = activity;
    core.startNs = nowNs;
    core.endNs = endNs;
  }

  /** Interrupts first, then task queues, then processes. */
  private void next(Core core) {
    begin(core, Activity.IDLE, NEVER);
    if (!core.interrupts.isEmpty()) {
      core.job = core.interrupts.poll();
      begin(core, Activity.INTERRUPT, nowNs + core.job.leftNs);
    } else if (!core.softirqs.isEmpty()) {
      core.job = core.softirqs.poll();
      begin(core, Activity.SOFTIRQ, nowNs + core.job.leftNs);
    } else {
      schedule(core);
    }
  }

  private void schedule(Core core) {
    Process now = core.running;
    if (now != null && !now.wantsCpu()) {
      now.core = null;
      now.sleepsSinceNs = nowNs;
      core.running = null;
      core.switchLeftNs = 0;
      now = null;
    }
    if (runQueue.isEmpty()) {
      if (now != null) {
        resume(core);
      }
      return;
    }
    refill(now);
    Process best = best();
    if (now == null) {
      dispatch(core, best);
    } else if (now.creditNs == 0 ? best.creditNs > 0 : best.creditNs > now.creditNs + costs.tickNs()) {
      preemptions++;
      now.core = null;
      core.switchLeftNs = 0;
      enqueue(now);
      dispatch(core, best);
      cores.forEach(this::limitToSlice);
    } else {
      resume(core);
    }
  }

  /** When nobody who could have the processor has credit left, those who wait get theirs. The running one gets its when it waits. */
  private void refill(Process now) {
    boolean spent = now == null || now.creditNs == 0;
    for (Process p : runQueue) {
      spent &= p.creditNs == 0;
    }
    if (spent) {
      for (Process p : runQueue) {
        p.creditNs = costs.timeSliceNs();
      }
    }
  }

  private Process best() {
    Process best = null;
    for (Process p : runQueue) {
      if (best == null || p.creditNs > best.creditNs) {
        best = p;
      }
    }
    return best;
  }

  private void dispatch(Core core, Process p) {
    runQueue.remove(p);
    p.queued = false;
    core.switchLeftNs = costs.schedulingNs() + (core.loaded == p ? 0 : costs.contextSwitchNs());
    switches++;
    core.running = p;
    core.loaded = p;
    p.core = core;
    p.lastCore = core;
    resume(core);
  }

  /** Goes on with the process that has the processor. */
  private void resume(Core core) {
    if (core.switchLeftNs > 0) {
      begin(core, Activity.SWITCH, nowNs + core.switchLeftNs);
      return;
    }
    Process p = core.running;
    long leftNs = p.jobs.isEmpty() ? NEVER : p.jobs.peek().leftNs;
    if (!runQueue.isEmpty()) {
      leftNs = Math.min(leftNs, p.creditNs);
    }
    begin(core, Activity.PROCESS, leftNs == NEVER ? NEVER : nowNs + leftNs);
  }
}
