package dev.weft.nbd;

/** The memory lives in three other JVMs; requests and replies are writes that Tripwires tell of. */
class FourJvmsTripwireTest extends NbdClientsContract {
  FourJvmsTripwireTest() {
    super(4, "--notification=tripwire");
  }
}
