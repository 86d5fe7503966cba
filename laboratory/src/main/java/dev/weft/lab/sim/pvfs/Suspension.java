package dev.weft.lab.sim.pvfs;

import akka.actor.typed.ActorRef;
import akka.actor.typed.javadsl.Behaviors;
import dev.weft.fabric.time.AppThread;
import dev.weft.fabric.time.VirtualSystem;
import dev.weft.hca.verbs.HcaSnapshot;
import dev.weft.hca.verbs.QpState;
import java.util.List;

/**
 * Stops the process of a client as SIGSTOP does, and lets it go on. Its application thread and its roles stand still at once; its HCA, which is a part of the
 * process, when all that it has sent is acknowledged, or at once, too, if that is wanted. An HCA that is stopped before sends again, when it goes on, what the
 * other side has not acknowledged, however old that is (docs/guides/file-system.md, limitations).
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

  /** @param isAnyTime whether its HCA need not have come to rest */
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

  /** May be called again before it has ended. */
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
