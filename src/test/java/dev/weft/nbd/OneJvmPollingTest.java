package dev.weft.nbd;

import dev.weft.hca.node.RoleContext;

/** Everything in one JVM; a thread that polls runs the pager's roles. */
class OneJvmPollingTest extends NbdClientsContract {
  OneJvmPollingTest() {
    super(1, RoleContext.POLLING);
  }
}
