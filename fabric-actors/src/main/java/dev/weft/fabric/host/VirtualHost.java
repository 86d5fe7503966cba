package dev.weft.fabric.host;

import akka.actor.typed.ActorRef;
import dev.weft.fabric.time.VirtualSystem;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * What protocol code and workloads hold of a host in virtual time. Used on the simulation's thread. Everything asked for here is
 * charged to the host's processors and happens by message, never inside the call.
 */
public final class VirtualHost {
  private static final int LOAD_MAX = 1024;

  private final String name;
  private final HardwareProfile profile;
  private final VirtualSystem system;
  private final CpuModel model;
  private final ActorRef<HostCpu.Command> cpu;
  private final int worker;
  private final List<Runnable> ends = new ArrayList<>();
  /** Processes that look for completions until what they wait for has come. */
  private final Set<Integer> pollers = new LinkedHashSet<>();
  private int signalled;
  private boolean ended;
  private int hogs;

  /** A host with the processors of a profile; its actor is called {@code NAME-cpu}. */
  public VirtualHost(VirtualSystem system, String name, HardwareProfile profile) {
    this.name = name;
    this.profile = profile;
    this.system = system;
    model = new CpuModel(profile.cpu());
    cpu = system.spawn(HostCpu.create(model, system.context(), this::end), name + "-cpu");
    signalled = addProcess("receiver");
    worker = addProcess("worker");
  }

  public String name() {
    return name;
  }

  public HardwareProfile profile() {
    return profile;
  }

  /** The actor, for inspection. */
  public ActorRef<HostCpu.Command> cpu() {
    return cpu;
  }

  /** Has {@code end} run when the processors stop with their system: what waits for one then gets none. */
  public void onEnd(Runnable end) {
    ends.add(end);
  }

  /** Whether the processors have stopped. */
  public boolean hasEnded() {
    return ended;
  }

  private void end() {
    ended = true;
    ends.forEach(Runnable::run);
  }

  /** Whether the calling code is a handler that this host's processors run. */
  public boolean isRunning() {
    return model.isActing();
  }

  /** Runs a handler in the task queue without an interrupt, as code of this host asks for it. */
  public void softirq(Runnable handler) {
    cpu.tell(new HostCpu.Interrupt(HostCpu.Stage.SOFTIRQ, signalled, handler));
  }

  /** Runs a handler in the process that receives signals, without one: code of this host wakes it. */
  public void wake(Runnable handler) {
    compute(signalled, profile.cpu().pollNs(), handler);
  }

  /** Runs a handler in an interrupt service routine. */
  public void interrupt(Runnable handler) {
    cpu.tell(new HostCpu.Interrupt(HostCpu.Stage.ROUTINE, signalled, handler));
  }

  /** Interrupts, and runs a handler in the task queue. */
  public void taskQueue(Runnable handler) {
    cpu.tell(new HostCpu.Interrupt(HostCpu.Stage.TASK_QUEUE, signalled, handler));
  }

  /** Interrupts, and runs a handler in the process that receives signals. */
  public void signal(Runnable handler) {
    cpu.tell(new HostCpu.Interrupt(HostCpu.Stage.SIGNAL, signalled, handler));
  }

  /** Whether the process that receives signals computes when it has none, as an application does. */
  public void receiverComputes(boolean computes) {
    spin(signalled, computes);
  }

  /** Signals reach this process from now on: an application's, rather than one that does nothing else. */
  public void signals(int process) {
    signalled = process;
  }

  /** Whether a process that spins takes completions from the ring itself, so that they do not interrupt (selective polling, Kernel DSM paper, section 4). */
  public void polls(int process, boolean on) {
    if (on) {
      pollers.add(process);
    } else {
      pollers.remove(process);
    }
  }

  /** Runs a handler in the process that has polled for longest, if one does; false if none does. */
  public boolean pollIfWanted(Runnable handler) {
    if (pollers.isEmpty()) {
      return false;
    }
    poll(pollers.iterator().next(), handler);
    return true;
  }

  /** Runs work in process context without an interrupt: the second stage of the two-stage rule. */
  public void defer(Runnable work) {
    compute(worker, 0, work);
  }

  /** Adds a process that sleeps until it gets work; answers its number. */
  public int addProcess(String processName) {
    return model.addProcess(processName, system.nowNs());
  }

  /** Charges a process {@code ns} of computing, then tells. */
  public <T> void compute(int process, long ns, ActorRef<T> replyTo, T message) {
    compute(process, ns, () -> replyTo.tell(message));
  }

  /** Charges a process {@code ns} of computing, then runs {@code done} in the context of that process. */
  public void compute(int process, long ns, Runnable done) {
    ProfileReader.checkTime("compute", ns);
    cpu.tell(new HostCpu.Compute(process, ns, done));
  }

  /** Runs {@code done} in a process after the price of one look at a completion ring. */
  public void poll(int process, Runnable done) {
    compute(process, profile.cpu().pollNs(), done);
  }

  /** Lets a process want its processor always, or only when it has work. */
  public void spin(int process, boolean on) {
    cpu.tell(new HostCpu.Spin(process, on));
  }

  /** Adds to the cost of the handler that calls this; called inside a handler that this host runs. */
  public void charge(long ns) {
    model.charge(ns);
  }

  /** The same; what the handler posts to the adapter after this leaves when it is over, as if it had been computed here. */
  public void chargeBefore(long ns) {
    model.chargeBefore(ns);
  }

  /** Nanoseconds from now to when the calling handler has computed what it was charged by {@link #chargeBefore}; 0 outside of one. */
  public long precedingNs() {
    return model.precedingNs();
  }

  /** Starts {@code count} more processes that always want a processor, until the load is closed. */
  public CpuLoad load(int count) {
    ProfileReader.check("load", count, 0, LOAD_MAX);
    int[] processes = new int[count];
    for (int i = 0; i < count; i++) {
      processes[i] = addProcess("hog-" + ++hogs);
      spin(processes[i], true);
    }
    return () -> {
      for (int process : processes) {
        spin(process, false);
      }
    };
  }

  /** How the processors spent their time up to the last message. */
  public CpuStats stats() {
    return model.stats();
  }
}
