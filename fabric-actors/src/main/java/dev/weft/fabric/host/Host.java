package dev.weft.fabric.host;

/**
 * A host in virtual time, as the fabric uses it: its processors run handlers and work, and charge for them. Used on the simulation's thread.
 * Every request happens by message, never inside the call.
 */
public interface Host {
  String name();

  /** Runs {@code end} when the processors stop with their system; work that waits for a processor then never runs. */
  void onEnd(Runnable end);

  /** Whether the processors have stopped. */
  boolean hasEnded();

  /** Whether the calling code is a handler that runs on this host's processors. */
  boolean isRunning();

  /** Runs a handler in an interrupt service routine. */
  void interrupt(Runnable handler);

  /** Raises an interrupt and runs a handler in the task queue. */
  void taskQueue(Runnable handler);

  /** Raises an interrupt and runs a handler in the process that receives signals. */
  void signal(Runnable handler);

  /** Runs a handler in the task queue without an interrupt, at the request of code on this host. */
  void softirq(Runnable handler);

  /** Runs a handler in the process that receives signals, but without a signal, because code on this host wakes it. */
  void wake(Runnable handler);

  /** Runs work in process context without an interrupt: the second stage of the two-stage rule. */
  void defer(Runnable work);

  /** Adds a process that sleeps until it gets work. Returns its number. */
  int addProcess(String processName);

  /** Charges a process {@code ns} of computing, then runs {@code done} in the context of that process. */
  void compute(int process, long ns, Runnable done);

  /** Charges a process one poll of a completion ring, then runs {@code done} in the context of that process. */
  void poll(int process, Runnable done);

  /** Runs a handler in the process that has polled for longest. Returns false if no process polls. */
  boolean pollIfWanted(Runnable handler);

  /** Sets whether a process always wants a processor, or only if it has work. */
  void spin(int process, boolean on);

  /** Returns the nanoseconds of the calling handler that pass before its next requests to the adapter; 0 outside of a handler. */
  long precedingNs();
}
