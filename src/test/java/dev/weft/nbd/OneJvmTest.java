package dev.weft.nbd;

import org.junit.jupiter.api.Tag;

/** Everything in one JVM. */
@Tag("client")
class OneJvmTest extends NbdClientsContract {
  OneJvmTest() {
    super(1);
  }
}
