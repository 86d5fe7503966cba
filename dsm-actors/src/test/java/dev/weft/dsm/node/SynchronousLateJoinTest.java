package dev.weft.dsm.node;

import org.junit.jupiter.api.Tag;

/** The same with the synchronous engine. */
@Tag("slow")
@Tag("actor")
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
