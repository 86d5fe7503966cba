package dev.weft.nbd;

import dev.weft.hca.node.RoleContext;
import org.junit.jupiter.api.Tag;

/** Everything in one JVM; the pager's roles have a thread of their own. */
@Tag("client")
@Tag("long") // OneJvmProcessTest has a thread of its own, too.
class OneJvmTaskQueueTest extends NbdClientsContract {
  OneJvmTaskQueueTest() {
    super(1, RoleContext.TASK_QUEUE);
  }
}
