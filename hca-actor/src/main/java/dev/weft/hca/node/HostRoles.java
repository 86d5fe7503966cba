package dev.weft.hca.node;

import akka.actor.typed.Props;
import dev.weft.fabric.host.Host;
import dev.weft.fabric.host.HostDispatcher;
import dev.weft.fabric.time.AppThread;
import dev.weft.fabric.time.VirtualSystem;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Runs the roles of a host in virtual time on the host's processors, which charge the costs in the table of design section 4. The sender of a
 * message decides how it reaches the role:
 *
 * <ul>
 *   <li>Hardware: by an interrupt, or a polling process finds the message.
 *   <li>Code on these processors: by a call or a wake-up.
 *   <li>An application thread: by a call on that thread.
 * </ul>
 */
final class HostRoles implements NodeSpec.RoleDispatchers {
  private final VirtualSystem system;
  private final Host host;
  /** Roles that wait for a processor. */
  private final Set<Runnable> waiting = new LinkedHashSet<>();
  private int poller = -1;

  HostRoles(VirtualSystem system, Host host) {
    this.system = system;
    this.host = host;
    host.onEnd(() -> {
      waiting.forEach(system.system().executionContext()::execute);
      waiting.clear();
    });
  }

  @Override
  public Props props(RoleContext context) {
    String id = "weft.host." + host.name() + "." + context.configName();
    Consumer<Runnable> processors = processors(context);
    HostDispatcher.register(system, id, role -> {
      // The application thread has paid for its system call and runs the protocol itself.
      if (host.hasEnded() || AppThread.current() != null) {
        system.system().executionContext().execute(role);
      } else {
        waiting.add(role);
        processors.accept(() -> run(role));
      }
    });
    return RoleContext.with(id);
  }

  private void run(Runnable role) {
    if (waiting.remove(role)) {
      role.run();
    }
  }

  private Consumer<Runnable> processors(RoleContext context) {
    return switch (context) {
      case ISR -> oneOf(host::interrupt, system.system().executionContext()::execute);
      case TASK_QUEUE -> oneOf(host::taskQueue, host::softirq);
      case PROCESS, BLOCKING -> oneOf(host::signal, host::wake);
      case POLLING -> role -> host.poll(poller(), role);
    };
  }

  private Consumer<Runnable> oneOf(Consumer<Runnable> toldByHardware, Consumer<Runnable> toldByThisHost) {
    return role -> {
      if (host.isRunning()) {
        toldByThisHost.accept(role);
      } else if (!host.pollIfWanted(role)) {
        toldByHardware.accept(role);
      }
    };
  }

  /** Returns the process that polls for all roles of this host; it always wants a processor. */
  private int poller() {
    if (poller < 0) {
      poller = host.addProcess("role-poller");
      host.spin(poller, true);
    }
    return poller;
  }
}
