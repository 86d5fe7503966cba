package dev.weft.nbd;

import dev.weft.hca.node.RoleContext;
import org.junit.jupiter.api.Tag;

/** Everything in one JVM; a thread that polls runs the pager's roles. */
@Tag("client")
@Tag("long") // OneJvmProcessTest has a thread of its own, too.
class OneJvmPollingTest extends NbdClientsContract {
  OneJvmPollingTest() {
    super(1, RoleContext.POLLING);
  }
}
