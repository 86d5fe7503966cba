package dev.weft.fabric.time;

import akka.actor.ActorCell;
import akka.actor.ActorRefWithCell;
import akka.dispatch.Mailbox;
import akka.dispatch.sysmsg.Failed;
import akka.dispatch.sysmsg.SystemMessage;

/**
 * Finds actors that threw and were not supervised. Logging is off in virtual time, so their failures would otherwise stay
 * unnoticed. Akka suspends a failed actor's mailbox and puts the reason into its parent's mailbox.
 */
final class FailureFinder {
  private boolean enabled = true;
  private String failedPath;
  private Throwable cause;

  void enable(boolean enable) {
    enabled = enable;
  }

  void inspect(Mailbox mailbox) {
    if (!enabled || failedPath != null) {
      return;
    }
    ActorCell failed = mailbox.actor();
    if (!(failed.parent() instanceof ActorRefWithCell parent) || !(parent.underlying() instanceof ActorCell parentCell)) {
      return;
    }
    SystemMessage message = parentCell.mailbox()._systemQueueDoNotCallMeDirectly();
    for (; message != null; message = message.next()) {
      if (message instanceof Failed failure && failure.child().equals(failed.self())) {
        failedPath = failed.self().path().toStringWithoutAddress();
        cause = failure.cause();
      }
    }
  }

  void check(VirtualTime time) {
    if (failedPath != null) {
      throw new IllegalStateException(
          "actor " + failedPath + " failed at " + time.nowNs() + " ns, event " + time.eventsRun() + ", seed " + time.seed()
              + ": " + cause,
          cause);
    }
  }
}
