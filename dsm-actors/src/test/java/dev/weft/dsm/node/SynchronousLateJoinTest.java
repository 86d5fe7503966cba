package dev.weft.dsm.node;

/** The same with the synchronous engine. */
class SynchronousLateJoinTest extends LateJoinTest {
  @Override
  String engine() {
    return "synchronous";
  }

  /** What a lost node was the home of is lost. */
  @Override
  boolean homesMove() {
    return false;
  }
}
