package dev.weft.lab.sim.pvfs;

import akka.actor.typed.ActorRef;
import akka.actor.typed.javadsl.Behaviors;
import dev.weft.fabric.time.AppThread;
import dev.weft.fabric.time.VirtualSystem;
import dev.weft.hca.verbs.HcaSnapshot;
import dev.weft.hca.verbs.QpState;
import java.util.List;

/**
 * Stops the process of a client as SIGSTOP does, and continues it. Its application thread and its roles stop at once. Its HCA is part of the process;
 * it stops when everything that it has sent is acknowledged, or at once if requested. An HCA that stops earlier retransmits, when it continues,
 * everything that the other side has not acknowledged, however old (docs/guides/file-system.md, limitations).
 */
final class Suspension {
  private static final long LOOK_NS = 100_000;

  private final VirtualSystem system;
  private final PvfsHost host;
  private final AppThread thread;
  private final boolean isAnyTime;
  private final List<String> roles;
  private final ActorRef<Runnable> alarms;
  private boolean isStopped;

  /** @param isAnyTime whether its HCA may stop before it is at rest */
  Suspension(VirtualSystem system, PvfsHost host, AppThread thread, boolean isAnyTime) {
    this.system = system;
    this.host = host;
    this.thread = thread;
    this.isAnyTime = isAnyTime;
    String ofData = host.data.actor().path().toStringWithoutAddress();
    roles = List.of(ofData, ofData.replace("/pvfs-client-", "/pvfs-meta-"));
    alarms = system.spawn(Behaviors.receiveMessage(action -> {
      action.run();
      return Behaviors.same();
    }), "suspension-" + host.name);
  }

  /** Stops the client; may be called again before {@link #end}. */
  void begin() {
    if (host.pauses++ == 0) {
      thread.stop();
      roles.forEach(system::pause);
      stop();
    }
  }

  private void stop() {
    if (host.pauses == 0 || isStopped) {
      return;
    }
    if (isAnyTime || isQuiet()) {
      isStopped = true;
      system.pause(host.path());
    } else {
      system.timers().at(system.nowNs() + LOOK_NS, alarms, this::stop);
    }
  }

  private boolean isQuiet() {
    for (HcaSnapshot.Qp qp : host.node.hca().inspect().queuePairs()) {
      if (qp.state() == QpState.RTS && qp.sendQueue() > 0) {
        return false;
      }
    }
    return true;
  }

  void end() {
    if (--host.pauses == 0) {
      isStopped = false;
      roles.forEach(system::resume);
      system.resume(host.path());
      thread.goOn();
    }
  }
}
