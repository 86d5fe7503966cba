package dev.weft.nbd;

/** Everything in one JVM. */
class OneJvmTest extends NbdClientsContract {
  OneJvmTest() {
    super(1);
  }
}
