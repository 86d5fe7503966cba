package dev.weft.nbd;

import org.junit.jupiter.api.Tag;

/** Virtual memory of three other JVMs, and Tripwires in place of completion events; each of both alone is judged in every run. */
@Tag("client")
@Tag("long")
class FourJvmsUnpinnedTripwireTest extends NbdClientsContract {
  FourJvmsUnpinnedTripwireTest() {
    super(4, "--registration=unpinned", "--resident=8M", "--notification=tripwire");
  }
}
