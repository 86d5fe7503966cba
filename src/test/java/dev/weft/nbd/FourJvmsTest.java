package dev.weft.nbd;

import org.junit.jupiter.api.Tag;

/** The memory lives in three other JVMs. */
@Tag("client")
class FourJvmsTest extends NbdClientsContract {
  FourJvmsTest() {
    super(4);
  }
}
