package dev.weft.dsm.node;

/** The same where homes move to who writes. */
class MovingHomesLeavingNodeTest extends LeavingNodeTest {
  @Override
  String home() {
    return "dynamic";
  }
}
