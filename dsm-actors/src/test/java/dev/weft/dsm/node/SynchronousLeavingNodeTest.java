package dev.weft.dsm.node;

/** The same with the synchronous engine. */
class SynchronousLeavingNodeTest extends LeavingNodeTest {
  @Override
  String engine() {
    return "synchronous";
  }
}
