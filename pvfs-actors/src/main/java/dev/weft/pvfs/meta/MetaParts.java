package dev.weft.pvfs.meta;

import dev.weft.hca.link.Transport;
import dev.weft.hca.verbs.ProtectionDomain;
import dev.weft.pvfs.Errno;
import dev.weft.pvfs.client.Grants;
import dev.weft.pvfs.client.Inbox;
import dev.weft.pvfs.wire.MetaReply;
import java.util.function.LongSupplier;

/** State that the connection to the manager shares with its callers. */
final class MetaParts {
  private final ProtectionDomain pd;
  private final Transport transport;
  private final Inbox<MetaCall> inbox;
  private final SuspendAwareClock suspendAware;
  private final Grants grants;
  private final LockLedger ledger = new LockLedger();
  private volatile Runnable whenLost = () -> { };
  private volatile String why = "it was not reached yet";

  /** @param calendar of the same machine; {@code clock} itself if the machine never sleeps */
  MetaParts(ProtectionDomain pd, Transport transport, int callsMax, LongSupplier clock, LongSupplier calendar) {
    this.transport = transport;
    this.suspendAware = new SuspendAwareClock(clock, calendar);
    this.pd = pd;
    this.grants = new Grants(clock);
    this.inbox = new Inbox<>(callsMax, call -> call.finish(MetaReply.failed(call.request.id(), Errno.ESHUTDOWN)));
  }

  /** Returns the time of a clock that continues while the machine is suspended. */
  long suspendAwareNs() {
    return suspendAware.getAsLong();
  }

  ProtectionDomain pd() {
    return pd;
  }

  /** Null for the fabric. */
  Transport transport() {
    return transport;
  }

  /** Capabilities of open files. */
  Grants grants() {
    return grants;
  }

  /** The client's locks; on the client's thread. */
  LockLedger ledger() {
    return ledger;
  }

  Inbox<MetaCall> inbox() {
    return inbox;
  }

  /** Returns why the manager is unreachable; empty if it is reachable. */
  String why() {
    return why;
  }

  /** Sets an action that runs on the client's thread whenever the manager becomes unreachable. */
  void whenLost(Runnable action) {
    whenLost = action;
  }

  void reached(String problem) {
    why = problem;
    if (!problem.isEmpty()) {
      whenLost.run();
    }
  }
}
