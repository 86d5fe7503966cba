package dev.weft.hca.node;

import dev.weft.fabric.host.VirtualHost;
import dev.weft.fabric.time.VirtualSystem;
import dev.weft.hca.CompletionQueue;
import dev.weft.hca.ReceiveContext;
import dev.weft.hca.ReceiveContexts;
import java.time.Duration;

/** Receive contexts of a host in virtual time: its processors charge what the table of design section 4 says. */
final class HostContexts implements ReceiveContexts {
  private final VirtualSystem system;
  private final VirtualHost host;

  HostContexts(VirtualSystem system, VirtualHost host) {
    this.system = system;
    this.host = host;
  }

  @Override
  public void run(ReceiveContext context, Runnable handler) {
    switch (context) {
      case ISR -> host.interrupt(handler);
      case TASK_QUEUE -> host.taskQueue(handler);
      case PROCESS -> host.signal(handler);
      case POLLING -> throw new IllegalArgumentException("a polling consumer is not notified");
    }
  }

  @Override
  public void defer(Runnable work) {
    host.defer(work);
  }

  @Override
  public PollLoop pollLoop(String name, CompletionQueue cq, Runnable work) {
    return new ProcessLoop(name, cq, work);
  }

  /** A process that spins while it polls; what it finds is charged as one poll. */
  private final class ProcessLoop implements PollLoop {
    private final int process;
    private final CompletionQueue cq;
    private final Runnable work;
    private boolean active;
    private boolean looking;
    private long phase;

    ProcessLoop(String name, CompletionQueue cq, Runnable work) {
      this.process = host.addProcess("poll-" + name);
      this.cq = cq;
      this.work = work;
      cq.watch(this::look);
    }

    @Override
    public void start() {
      phase++;
      active = true;
      host.spin(process, true);
      look();
    }

    @Override
    public void start(long maxNs, Runnable tooLong) {
      start();
      long mine = phase;
      system.system().scheduler().scheduleOnce(Duration.ofNanos(maxNs), () -> host.compute(process, 0, () -> {
        if (active && phase == mine && cq.size() == 0) {
          stop();
          tooLong.run();
        }
      }), system.system().executionContext());
    }

    private void look() {
      if (active && !looking && cq.size() > 0) {
        looking = true;
        host.poll(process, this::found);
      }
    }

    private void found() {
      looking = false;
      if (active && cq.size() > 0) {
        work.run();
        look();
      }
    }

    @Override
    public void stop() {
      if (active) {
        active = false;
        phase++;
        host.spin(process, false);
      }
    }

    @Override
    public void close() {
      stop();
      cq.watch(null);
    }
  }
}
