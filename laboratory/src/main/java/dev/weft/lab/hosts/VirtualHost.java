package dev.weft.lab.hosts;

import akka.actor.typed.ActorRef;
import dev.weft.fabric.host.Host;
import dev.weft.fabric.time.VirtualSystem;
import dev.weft.hca.node.VirtualFabric;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * A host in virtual time, for protocol code and workloads. Used on the simulation's thread. Every request here is charged to the host's
 * processors and happens by message, never inside the call.
 */
public final class VirtualHost implements Host {
  private static final int LOAD_MAX = 1024;

  private final String name;
  private final HardwareProfile profile;
  private final VirtualSystem system;
  private final CpuModel model;
  private final ActorRef<HostCpu.Command> cpu;
  private final int worker;
  private final List<Runnable> ends = new ArrayList<>();
  /** Processes that poll for completions until the event that they wait for has come. */
  private final Set<Integer> pollers = new LinkedHashSet<>();
  private int signalled;
  private boolean ended;
  private int hogs;

  /** Makes a host with the processors of a profile; its actor is named {@code NAME-cpu}. */
  public VirtualHost(VirtualSystem system, String name, HardwareProfile profile) {
    this.name = name;
    this.profile = profile;
    this.system = system;
    model = new CpuModel(profile.cpu());
    cpu = system.spawn(HostCpu.create(model, system.context(), this::end), name + "-cpu");
    signalled = addProcess("receiver");
    worker = addProcess("worker");
  }

  /** Returns the host of a node of a fabric that was made with a {@link HardwareProfile}. */
  public static VirtualHost of(VirtualFabric fabric, String node) {
    return (VirtualHost) fabric.host(node);
  }

  @Override
  public String name() {
    return name;
  }

  public HardwareProfile profile() {
    return profile;
  }

  /** Returns the actor of the processors, for inspection. */
  public ActorRef<HostCpu.Command> cpu() {
    return cpu;
  }

  @Override
  public void onEnd(Runnable end) {
    ends.add(end);
  }

  @Override
  public boolean hasEnded() {
    return ended;
  }

  private void end() {
    ended = true;
    ends.forEach(Runnable::run);
  }

  @Override
  public boolean isRunning() {
    return model.isActing();
  }

  @Override
  public void softirq(Runnable handler) {
    cpu.tell(new HostCpu.Interrupt(HostCpu.Stage.SOFTIRQ, signalled, handler));
  }

  @Override
  public void wake(Runnable handler) {
    compute(signalled, profile.cpu().pollNs(), handler);
  }

  @Override
  public void interrupt(Runnable handler) {
    cpu.tell(new HostCpu.Interrupt(HostCpu.Stage.ROUTINE, signalled, handler));
  }

  @Override
  public void taskQueue(Runnable handler) {
    cpu.tell(new HostCpu.Interrupt(HostCpu.Stage.TASK_QUEUE, signalled, handler));
  }

  @Override
  public void signal(Runnable handler) {
    cpu.tell(new HostCpu.Interrupt(HostCpu.Stage.SIGNAL, signalled, handler));
  }

  /** Sets whether the process that receives signals computes between signals, as an application does. */
  public void receiverComputes(boolean computes) {
    spin(signalled, computes);
  }

  /** Sends signals to this process from now on, such as an application's, instead of a process that only receives signals. */
  public void signals(int process) {
    signalled = process;
  }

  /** Sets whether a spinning process polls the ring itself, so that completions do not interrupt (selective polling, Kernel DSM paper, section 4). */
  public void polls(int process, boolean on) {
    if (on) {
      pollers.add(process);
    } else {
      pollers.remove(process);
    }
  }

  @Override
  public boolean pollIfWanted(Runnable handler) {
    if (pollers.isEmpty()) {
      return false;
    }
    poll(pollers.iterator().next(), handler);
    return true;
  }

  @Override
  public void defer(Runnable work) {
    compute(worker, 0, work);
  }

  @Override
  public int addProcess(String processName) {
    return model.addProcess(processName, system.nowNs());
  }

  /** Charges a process {@code ns} of computing, then sends {@code message} to {@code replyTo}. */
  public <T> void compute(int process, long ns, ActorRef<T> replyTo, T message) {
    compute(process, ns, () -> replyTo.tell(message));
  }

  @Override
  public void compute(int process, long ns, Runnable done) {
    ProfileReader.checkTime("compute", ns);
    cpu.tell(new HostCpu.Compute(process, ns, done));
  }

  @Override
  public void poll(int process, Runnable done) {
    compute(process, profile.cpu().pollNs(), done);
  }

  @Override
  public void spin(int process, boolean on) {
    cpu.tell(new HostCpu.Spin(process, on));
  }

  /** Adds to the cost of the calling handler, which must run on this host. */
  public void charge(long ns) {
    model.charge(ns);
  }

  /** Does the same, but requests that the handler posts to the adapter afterwards leave only after that time, as if the handler had computed here. */
  public void chargeBefore(long ns) {
    model.chargeBefore(ns);
  }

  /** Returns the nanoseconds that {@link #chargeBefore} has charged to the calling handler so far; 0 outside of a handler. */
  @Override
  public long precedingNs() {
    return model.precedingNs();
  }

  /** Starts {@code count} more processes that always want a processor. They stop when the load is closed. */
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

  /** Returns how the processors have spent their time up to the last message. */
  public CpuStats stats() {
    return model.stats();
  }
}
