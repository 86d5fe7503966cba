package dev.weft.nbd;

/** The memory lives in three other JVMs. */
class FourJvmsTest extends NbdClientsContract {
  FourJvmsTest() {
    super(4);
  }
}
