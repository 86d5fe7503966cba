package dev.weft.dsm.node;

/** The same where homes move to who writes. */
class MovingHomesLateJoinTest extends LateJoinTest {
  @Override
  String home() {
    return "dynamic";
  }
}
