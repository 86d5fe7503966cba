package dev.weft.dsm.node;

/** The same with the synchronous engine. */
class SynchronousLostHomeTest extends LostHomeTest {
  @Override
  String engine() {
    return "synchronous";
  }
}
