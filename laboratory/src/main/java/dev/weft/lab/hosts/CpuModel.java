package dev.weft.lab.hosts;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * The processors of a host and the scheduler of its operating system: which process has a processor until when. Decision logic only: the caller
 * passes the time in, and calls again at {@link #nextDeadlineNs} at the latest.
 *
 * <p>Rules (Kernel DSM paper, section 5: two processors under Linux 2.4):
 *
 * <ul>
 *   <li>Interrupts preempt everything on the interrupt processor except another interrupt. Jobs of task queues run before any process gets
 *       that processor back; interrupts preempt them, too.
 *   <li>A process has credit, which running uses up. When all waiting processes have none, each gets a time slice. A process that sleeps
 *       gains as much as it slept, up to two slices. This models the kernel's counter and its recalculation.
 *   <li>A process that wakes takes an idle processor, if possible the one that it had last. Otherwise it preempts the process with the least
 *       credit, if its own exceeds that by more than a tick. Otherwise it waits in the run queue.
 *   <li>A spinning process always wants a processor. If it has one, a job for it starts immediately.
 * </ul>
 *
 * The model calls the action of a job when its cost is paid; an action may call back into the model. Each queue holds {@link #QUEUE_MAX} jobs.
 */
final class CpuModel {
  static final long NEVER = Long.MAX_VALUE;
  /** Largest number of jobs in one queue; far more than completion queues notify at a time. */
  static final int QUEUE_MAX = 1 << 16;

  private enum Activity { IDLE, PROCESS, SWITCH, INTERRUPT, SOFTIRQ }

  /** A processor. */
  static final class Core {
    private final ArrayDeque<CpuProcess.Job> interrupts = new ArrayDeque<>();
    private final ArrayDeque<CpuProcess.Job> softirqs = new ArrayDeque<>();
    private Activity activity = Activity.IDLE;
    private CpuProcess running;
    private CpuProcess loaded;
    private CpuProcess.Job job;
    private long startNs;
    private long endNs = NEVER;
    private long switchLeftNs;
    private final long[] spentNs = new long[Activity.values().length];
  }

  private final CpuCosts costs;
  private final List<Core> cores = new ArrayList<>();
  private final List<CpuProcess> processes = new ArrayList<>();
  private final ArrayDeque<CpuProcess> runQueue = new ArrayDeque<>();
  private long nowNs;
  private Core acting;
  private long chargedNs;
  private long precedingNs; // The part of chargedNs that passes before the packets that the action sends next.
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

  /** Returns the latest time of the next call of {@link #advance}. */
  long nextDeadlineNs() {
    long next = NEVER;
    for (Core core : cores) {
      next = Math.min(next, core.endNs);
    }
    return next;
  }

  /** Runs all that is due up to and including {@code toNs}, in order of time, then of processors. */
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

  // Requests of consumers.

  /** Adds a sleeping process and returns its number. */
  int addProcess(String name, long atNs) {
    enter(atNs);
    processes.add(new CpuProcess(name, costs.timeSliceNs(), nowNs));
    return processes.size() - 1;
  }

  /** Raises an interrupt whose handler runs after {@code costNs} on the interrupt processor. */
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

  /** Adds work to the task queue of the processor whose handler calls this, or else of the interrupt processor. */
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

  /** Adds work to a process. */
  void submit(int process, long costNs, Runnable action, long atNs) {
    enter(atNs);
    CpuProcess p = processes.get(process);
    if (p.core != null) {
      settle(p.core); // Time that the process has spun so far does not count for this job.
    }
    add(p.jobs, costNs, action, "jobs of process " + p.name);
    wantsMore(p);
  }

  /** Does the same, but the work runs before the ordinary work of the process, after earlier signals. */
  void signal(int process, long costNs, Runnable action, long atNs) {
    enter(atNs);
    CpuProcess p = processes.get(process);
    if (p.core != null) {
      settle(p.core);
    }
    ArrayDeque<CpuProcess.Job> signals = new ArrayDeque<>();
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

  /** Sets whether a process wants a processor also without work. */
  void spin(int process, boolean on, long atNs) {
    enter(atNs);
    CpuProcess p = processes.get(process);
    p.spinning = on;
    if (on) {
      wantsMore(p);
    } else if (!p.wantsCpu()) {
      giveUp(p);
    }
  }

  /** Adds to the cost of the running action; packets that it sends leave before that time has passed. */
  void charge(long ns) {
    if (acting == null) {
      throw new IllegalStateException("charge(" + ns + " ns) outside of a handler that runs on this host's processors; "
          + "give the work to a process with compute()");
    }
    chargedNs += ns;
  }

  /** Does the same, but packets that the action sends from now on leave after that time. */
  void chargeBefore(long ns) {
    charge(ns);
    precedingNs += ns;
  }

  long precedingNs() {
    return acting == null ? 0 : precedingNs;
  }

  /** Whether the action of a job is running. */
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

  private static void add(ArrayDeque<CpuProcess.Job> queue, long costNs, Runnable action, String what) {
    if (queue.size() >= QUEUE_MAX) {
      throw new IllegalStateException(what + ": " + QUEUE_MAX + " are waiting already; a program gives its host more work than the processors can do");
    }
    queue.add(new CpuProcess.Job(costNs, action));
  }

  // Processes.

  private void wantsMore(CpuProcess p) {
    if (p.core != null) {
      if (p.core.activity == Activity.PROCESS && p.core != acting) {
        suspend(p.core);
        resume(p.core);
      }
    } else if (!p.queued) {
      wake(p);
    }
  }

  private void wake(CpuProcess p) {
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

  /** Returns the processor that a woken process gets, now or after the processor's interrupts; null if it gets none. */
  private Core choose(CpuProcess p) {
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

  private void giveUp(CpuProcess p) {
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

  private void enqueue(CpuProcess p) {
    p.queued = true;
    runQueue.add(p);
  }

  // Processors.

  /** Ends the activity of a processor, because its cost is paid. */
  private void finish(Core core) {
    Activity was = core.activity;
    settle(core);
    switch (was) {
      case INTERRUPT, SOFTIRQ -> {
        CpuProcess.Job tail = act(core, core.job);
        if (tail != null) {
          (was == Activity.INTERRUPT ? core.interrupts : core.softirqs).addFirst(tail);
        }
        core.job = null;
      }
      case PROCESS -> {
        ArrayDeque<CpuProcess.Job> jobs = core.running.jobs;
        if (!jobs.isEmpty() && jobs.peek().leftNs == 0) {
          CpuProcess.Job tail = act(core, jobs.poll());
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

  /** Calls a job's action. Returns a job for the time that the action charged in addition, or null. */
  private CpuProcess.Job act(Core core, CpuProcess.Job job) {
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
    CpuProcess.Job tail = new CpuProcess.Job(chargedNs, null);
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
        CpuProcess.Job job = core.running.jobs.peek();
        if (job != null) {
          job.leftNs = Math.max(0, job.leftNs - spentNs);
        }
      }
      case SWITCH -> core.switchLeftNs -= spentNs;
      case INTERRUPT, SOFTIRQ -> core.job.leftNs -= spentNs;
      case IDLE -> { }
    }
  }

  /** Stops the activity of a processor, so that the scheduler can decide again. */
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

  /** Starts the next activity: interrupts first, then task queues, then processes. */
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
    CpuProcess now = core.running;
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
    CpuProcess best = best();
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

  /** If no process that could have the processor has credit left, gives the waiting ones a slice. The running one gets its slice when it waits. */
  private void refill(CpuProcess now) {
    boolean spent = now == null || now.creditNs == 0;
    for (CpuProcess p : runQueue) {
      spent &= p.creditNs == 0;
    }
    if (spent) {
      for (CpuProcess p : runQueue) {
        p.creditNs = costs.timeSliceNs();
      }
    }
  }

  private CpuProcess best() {
    CpuProcess best = null;
    for (CpuProcess p : runQueue) {
      if (best == null || p.creditNs > best.creditNs) {
        best = p;
      }
    }
    return best;
  }

  private void dispatch(Core core, CpuProcess p) {
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

  /** Continues the process that has the processor. */
  private void resume(Core core) {
    if (core.switchLeftNs > 0) {
      begin(core, Activity.SWITCH, nowNs + core.switchLeftNs);
      return;
    }
    CpuProcess p = core.running;
    long leftNs = p.jobs.isEmpty() ? NEVER : p.jobs.peek().leftNs;
    if (!runQueue.isEmpty()) {
      leftNs = Math.min(leftNs, p.creditNs);
    }
    begin(core, Activity.PROCESS, leftNs == NEVER ? NEVER : nowNs + leftNs);
  }
}
