package dev.weft.pvfs.meta;

import dev.weft.hca.verbs.ProtectionDomain;
import dev.weft.pvfs.Errno;
import dev.weft.pvfs.client.Grants;
import dev.weft.pvfs.client.Inbox;
import dev.weft.pvfs.wire.MetaReply;

/** What the connection to the manager and its callers have in common. */
final class MetaParts {
  private final ProtectionDomain pd;
  private final Inbox<MetaCall> inbox;
  private final Grants grants;
  private volatile String why = "it was not reached yet";

  MetaParts(ProtectionDomain pd, int callsMax, Grants grants) {
    this.pd = pd;
    this.grants = grants;
    this.inbox = new Inbox<>(callsMax, call -> call.finish(MetaReply.failed(call.request.id(), Errno.ESHUTDOWN)));
  }

  ProtectionDomain pd() {
    return pd;
  }

  /** Of what is open. */
  Grants grants() {
    return grants;
  }

  Inbox<MetaCall> inbox() {
    return inbox;
  }

  /** Why the manager is not reached; empty if it is. */
  String why() {
    return why;
  }

  void reached(String problem) {
    why = problem;
  }
}
