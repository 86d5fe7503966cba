package dev.weft.dsm.node;

/** The same with the synchronous engine. */
class SynchronousLostNodeTest extends LostNodeTest {
  @Override
  String engine() {
    return "synchronous";
  }
}
