package dev.weft.nbd;

import org.junit.jupiter.api.Tag;

/** The memory lives in three other JVMs; requests and replies are writes that Tripwires tell of. */
@Tag("client")
@Tag("long") // FourJvmsUnpinnedTripwireTest has both.
class FourJvmsTripwireTest extends NbdClientsContract {
  FourJvmsTripwireTest() {
    super(4, "--notification=tripwire");
  }
}
