package dev.weft.nbd;

import dev.weft.hca.node.RoleContext;

/** Everything in one JVM; the pager's roles have a thread of their own. */
class OneJvmTaskQueueTest extends NbdClientsContract {
  OneJvmTaskQueueTest() {
    super(1, RoleContext.TASK_QUEUE);
  }
}
