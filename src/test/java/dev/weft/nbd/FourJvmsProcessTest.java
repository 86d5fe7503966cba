package dev.weft.nbd;

import dev.weft.hca.node.RoleContext;

/** The memory lives in three other JVMs; Akka's default dispatcher runs the pager's roles. */
class FourJvmsProcessTest extends NbdClientsContract {
  FourJvmsProcessTest() {
    super(4, RoleContext.PROCESS);
  }
}
