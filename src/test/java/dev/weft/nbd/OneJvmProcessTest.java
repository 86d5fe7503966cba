package dev.weft.nbd;

import dev.weft.hca.node.RoleContext;

/** Everything in one JVM; Akka's default dispatcher runs the pager's roles. */
class OneJvmProcessTest extends NbdClientsContract {
  OneJvmProcessTest() {
    super(1, RoleContext.PROCESS);
  }
}
