package dev.weft.nbd;

import dev.weft.hca.node.RoleContext;
import org.junit.jupiter.api.Tag;

/** Everything in one JVM; Akka's default dispatcher runs the pager's roles. */
@Tag("client")
class OneJvmProcessTest extends NbdClientsContract {
  OneJvmProcessTest() {
    super(1, RoleContext.PROCESS);
  }
}
