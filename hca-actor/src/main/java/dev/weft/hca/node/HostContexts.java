package dev.weft.hca.node;

import dev.weft.fabric.host.Host;
import dev.weft.fabric.time.VirtualSystem;
import dev.weft.hca.verbs.CompletionQueue;
import dev.weft.hca.verbs.ReceiveContext;
import dev.weft.hca.verbs.ReceiveContexts;
import java.time.Duration;

/** Receive contexts of a host in virtual time: its processors charge the costs in the table of design section 4. */
final class HostContexts implements ReceiveContexts {
  private final VirtualSystem system;
  private final Host host;

  HostContexts(VirtualSystem system, Host host) {
    this.system = system;
    this.host = host;
  }

  @Override
  public void run(ReceiveContext context, Runnable handler) {
    switch (context) {
      case ISR -> host.interrupt(handler);
      case TASK_QUEUE -> host.taskQueue(handler);
      case PROCESS -> host.signal(handler);
      case POLLING -> throw new IllegalArgumentException("the context is POLLING, which gets no notifications; choose ISR, TASK_QUEUE or PROCESS");
    }
  }

  @Override
  public void defer(Runnable work) {
    host.defer(work);
  }

  @Override
  public long precedingNs() {
    return host.precedingNs();
  }

  @Override
  public PollLoop pollLoop(String name, CompletionQueue cq, Runnable work) {
    return new ProcessLoop(name, cq, work);
  }

  /** A process that spins while it polls; the host charges one poll for each completion that it finds. */
  private final class ProcessLoop extends WatchLoop {
    private final int process;
    private long phase;

    ProcessLoop(String name, CompletionQueue cq, Runnable work) {
      super(cq, work);
      this.process = host.addProcess("poll-" + name);
    }

    @Override
    public void start() {
      phase++;
      host.spin(process, true);
      super.start();
    }

    @Override
    public void start(long maxNs, Runnable tooLong) {
      start();
      long mine = phase;
      system.system().scheduler().scheduleOnce(Duration.ofNanos(maxNs), () -> host.compute(process, 0, () -> {
        if (isActive() && phase == mine && hasNothing()) {
          stop();
          tooLong.run();
        }
      }), system.system().executionContext());
    }

    @Override
    void poll(Runnable found) {
      host.poll(process, found);
    }

    @Override
    public void stop() {
      if (isActive()) {
        super.stop();
        phase++;
        host.spin(process, false);
      }
    }
  }
}
