package dev.weft.nbd;

import org.junit.jupiter.api.Tag;

/** The memory is virtual memory of three other JVMs, of which a quarter is in memory. */
@Tag("client")
@Tag("long") // FourJvmsUnpinnedTripwireTest has both.
class FourJvmsUnpinnedTest extends NbdClientsContract {
  FourJvmsUnpinnedTest() {
    super(4, "--registration=unpinned", "--resident=8M");
  }
}
