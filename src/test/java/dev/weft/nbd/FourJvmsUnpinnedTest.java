package dev.weft.nbd;

/** The memory is virtual memory of three other JVMs, of which a quarter is in memory. */
class FourJvmsUnpinnedTest extends NbdClientsContract {
  FourJvmsUnpinnedTest() {
    super(4, "--registration=unpinned", "--resident=8M");
  }
}
