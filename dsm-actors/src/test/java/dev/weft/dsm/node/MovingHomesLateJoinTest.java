package dev.weft.dsm.node;

import org.junit.jupiter.api.Tag;

/** The same where homes move to who writes. */
@Tag("actor")
class MovingHomesLateJoinTest extends LateJoinTest {
  @Override
  String home() {
    return "dynamic";
  }
}
