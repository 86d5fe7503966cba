package dev.weft.nbd;

/** Virtual memory of three other JVMs, and Tripwires in place of completion events. */
class FourJvmsUnpinnedTripwireTest extends NbdClientsContract {
  FourJvmsUnpinnedTripwireTest() {
    super(4, "--registration=unpinned", "--resident=8M", "--notification=tripwire");
  }
}
